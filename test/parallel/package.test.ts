// The published package: packed, unpacked elsewhere, used from JavaScript, TypeScript and the shell.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patchTool, temporaryFolder } from '../support/toolwharf.js';

const root = join(import.meta.dirname, '../..');
let folder: ReturnType<typeof temporaryFolder>;
const run = (program: string, args: string[]) =>
  execFileSync(program, args, { cwd: folder.path, encoding: 'utf8' });

beforeAll(() => {
  folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'package.json': '{"type":"module"}',
  });
  const options = { cwd: root, encoding: 'utf8' } as const;
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path], options),
  );
  const [{ filename }] = Array.isArray(packed) ? packed : Object.values(packed as object);
  mkdirSync(join(folder.path, 'node_modules'));
  run('tar', ['xzf', filename]);
  run('mv', ['package', 'node_modules/toolwharf']);
  // Its only dependency, and the packages that its types use.
  for (const name of ['libsql', '@libsql', '@neon-rs', 'detect-libc', '@types', 'undici-types']) {
    symlinkSync(join(root, 'node_modules', name), join(folder.path, 'node_modules', name));
  }
});
afterAll(() => folder.remove());

test('the command works', () => {
  const main = 'node_modules/toolwharf/dist/main.js';
  expect(run(process.execPath, [main, 'validate', 'tools'])).toContain('1 manifest checked: no problems');
  expect(run(process.execPath, [main, 'schema', 'patch'])).toContain('Patch tool manifest');
  expect(run(process.execPath, [main, 'explain', 'schema.required'])).toContain('Why it matters');
  const called = run(process.execPath, [
    main,
    'call',
    'tools/word_count.py',
    '{"text":"a b"}',
    '--state',
    'state',
  ]);
  expect(JSON.parse(called)).toEqual({ words: 2 });
});

test('the library works', () => {
  writeFileSync(
    join(folder.path, 'use.js'),
    `import { createHost, HostError } from 'toolwharf';
     import { formats } from 'toolwharf/formats';
     const host = await createHost({ state: 'library' });
     const session = await host.session({ directories: ['tools'] });
     const answer = await session.call({ tool: 'word_count', arguments: { text: 'a b c' } });
     await host.close();
     console.log(JSON.stringify([answer.result, formats.map((it) => it.name), typeof HostError]));`,
  );
  expect(JSON.parse(run(process.execPath, ['use.js']))).toEqual([
    { words: 3 },
    ['patch', 'findagent', 'talos', 'toolspace', 'nexo', 'mcp'],
    'function',
  ]);
});

test('the types compile', () => {
  writeFileSync(
    join(folder.path, 'use.ts'),
    `import { createHost, type Answer, type Host } from 'toolwharf';
     import { detect, formats, inspect } from 'toolwharf/formats';
     const host: Host = await createHost({ state: 'x' });
     const answer: Answer = await (await host.session({ directories: [] })).call({ tool: 'a', arguments: {} });
     if (answer.status === 'ok') console.log(answer.result);
     console.log(detect, formats[0]?.name, inspect);`,
  );
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--moduleResolution',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ];
  expect(run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'use.ts'])).toBe(
    '',
  );
});
