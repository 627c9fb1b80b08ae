// Builds the console for browsers into dist/console: one script, one style sheet, an icon and the page.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

/** Style sheets, in their order. */
const styles = [
  ...['theme.css', 'shell.css', 'parts.css', 'pages.css', 'form.css', 'try.css', 'build.css'],
  ...['activity.css', 'clients.css', 'health.css', 'registry.css'],
];

export async function buildConsole(root) {
  const source = join(root, 'src', 'console');
  const target = join(root, 'dist', 'console');
  mkdirSync(join(target, 'assets'), { recursive: true });
  const { output } = await build({
    input: { console: join(source, 'main.tsx') },
    platform: 'browser',
    resolve: { extensionAlias: { '.js': ['.tsx', '.ts', '.js'] } },
    transform: {
      define: { 'process.env.NODE_ENV': '"production"' },
    },
    logLevel: 'warn',
    write: false,
    output: { format: 'esm', minify: true },
  });
  const asset = (name, extension, content) => {
    const file = `${name}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.${extension}`;
    writeFileSync(join(target, 'assets', file), content);
    return file;
  };
  const names = {
    script: asset('console', 'js', output[0].code),
    style: asset(
      'console',
      'css',
      styles.map((it) => smaller(readFileSync(join(source, 'style', it), 'utf8'))).join(''),
    ),
    icon: asset('icon', 'svg', readFileSync(join(source, 'icon.svg'))),
  };
  const page = readFileSync(join(source, 'index.html'), 'utf8');
  writeFileSync(
    join(target, 'index.html'),
    page.replace(/%(\w+)%/g, (_, name) => names[name]),
  );
}

/** Without comments and indentation. */
function smaller(css) {
  return css.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\s*\n\s*/g, '\n');
}
