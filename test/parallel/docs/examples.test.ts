// People copy the examples, so they have no findings and they work.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'sucrase';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discover } from '../../../src/bundle/discover.js';
import { builtInFormats, type FormatName } from '../../../src/formats/built-in-formats.js';
import { formatNamed, inspect } from '../../../src/formats/index.js';
import { workbench } from '../../support/workbench.js';

const root = join(import.meta.dirname, '../../..');
const examples = discover([join(root, 'examples'), join(root, 'examples-extra')], {
  cwd: root,
  formats: builtInFormats,
});

describe('examples have no errors and no warnings', () => {
  test('discovery finds the examples', () => {
    expect(examples.problems).toEqual([]);
    expect(examples.found.length).toBeGreaterThan(4);
  });

  test.each(examples.found.map((it) => [it.file, it] as const))('%s', (_, it) => {
    const { diagnostics, package: found } = inspect(formatNamed(it.format.name as FormatName), it.bundle);
    expect(diagnostics.filter((one) => one.severity !== 'info')).toEqual([]);
    expect(found).toBeDefined();
  });
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-examples-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('patch examples', () => {
  const run = (file: string, args: unknown) => {
    const options = {
      input: JSON.stringify(args),
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
      stdio: 'pipe',
    } as const;
    const output = execFileSync('python3', ['-B', join(root, 'examples', 'patch', file)], options);
    expect(output.endsWith('\n') && output.indexOf('\n') === output.length - 1).toBe(true);
    return JSON.parse(output);
  };

  test('csv_profile reports the columns of a file', () => {
    const path = join(folder, 'people.csv');
    writeFileSync(path, 'name;age;joined\nAda;36;2020-01-02\nBob;;2021-03-04\nCyd;41.5;\n');
    const profile = run('csv_profile.py', { path, top: 1 });
    expect(profile).toMatchObject({ rows: 3, complete: true, delimiter: ';' });
    expect(profile.columns).toMatchObject([
      { name: 'name', type: 'text', missing: 0, distinct: 3 },
      { name: 'age', type: 'number', missing: 1, min: 36, max: 41.5, mean: 38.75 },
      { name: 'joined', type: 'date', missing: 1 },
    ]);
    expect(run('csv_profile.py', { path, max_rows: 1 })).toMatchObject({ rows: 1, complete: false });
  });

  test('replace_in_files changes only matching files, and nothing in a dry run', () => {
    const [a, b] = [join(folder, 'a.md'), join(folder, 'b.txt')];
    writeFileSync(a, 'one two one\r\n');
    writeFileSync(b, 'one');
    const args = { folder, find: 'one', replacement: 'three', pattern: '*.md' };
    expect(run('replace_in_files.py', { ...args, dry_run: true })).toMatchObject({
      replacements: 2,
      dry_run: true,
    });
    expect(readFileSync(a, 'utf8')).toBe('one two one\r\n');
    expect(run('replace_in_files.py', args).changed).toEqual([{ file: 'a.md', replacements: 2 }]);
    expect(readFileSync(a, 'utf8')).toBe('three two three\r\n');
    expect(readFileSync(b, 'utf8')).toBe('one');
    expect(() => run('replace_in_files.py', { ...args, pattern: '../*' })).toThrow(/must stay below/);
  });
});

describe('talos examples', () => {
  const load = async (name: string, folderName = 'examples') => {
    const source = readFileSync(join(root, folderName, 'talos', name, 'index.ts'), 'utf8');
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, transform(source, { transforms: ['typescript'], disableESTransforms: true }).code);
    return import(pathToFileURL(path).href);
  };

  test('shell reports exit code and output, and stops at its timeout', async () => {
    const { execute } = await load('shell', 'examples-extra');
    expect(await execute({ command: 'pwd; echo oops >&2; exit 3', cwd: '/' })).toEqual({
      exitCode: 3,
      signal: null,
      timedOut: false,
      stdout: '/\n',
      stderr: 'oops\n',
      truncated: false,
    });
    const started = performance.now();
    expect(await execute({ command: 'sleep 20 & sleep 20', timeout: 200 })).toMatchObject({ timedOut: true });
    expect(performance.now() - started).toBeLessThan(10_000);
    await expect(execute({ command: 'true', cwd: join(folder, 'none') })).rejects.toThrow(
      /could not be started/,
    );
  });

  test('webhook-signatures signs and verifies', async () => {
    const { handlers } = await load('webhook-signatures');
    const secret = { signing_secret: "It's a Secret to Everybody", tolerance_seconds: 300 };
    // The example from GitHub's documentation of webhook signatures.
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const delivery = { scheme: 'github', body: 'Hello, World!', signature };
    expect(handlers.verify(delivery, secret)).toMatchObject({ valid: true });
    expect(handlers.verify({ ...delivery, body: 'Hello, world!' }, secret)).toMatchObject({ valid: false });
    for (const scheme of ['stripe', 'slack']) {
      const { headers } = handlers.sign({ scheme, body: '{}', timestamp: 1000 }, secret);
      const made = headers['Stripe-Signature'] ?? headers['X-Slack-Signature'];
      const again = { scheme, body: '{}', signature: made, timestamp: headers['X-Slack-Request-Timestamp'] };
      expect(handlers.verify({ ...again, now: 1200 }, secret)).toMatchObject({ valid: true });
      expect(handlers.verify({ ...again, now: 1400 }, secret).reason).toContain('400 seconds old');
      expect(JSON.stringify(headers)).not.toContain(secret.signing_secret);
    }
  });
});

test('an example that is not ready needs a value, a server, an engine or an install', async () => {
  const bench = await workbench({});
  try {
    const directories = [join(root, 'examples'), join(root, 'examples-extra')];
    const session = await bench.host.session({ directories });
    const { packages } = await session.packages();
    expect(packages.length).toBe(examples.found.length);
    const others = packages.filter((it) => it.state !== 'ready');
    for (const { path, reasons, state } of others) {
      expect(state, path).toBe('needs-setup');
      for (const it of reasons)
        expect(it, path).toMatch(/toolwharf (?:secret set|install) |--nats-url |docker|podman/);
    }
  } finally {
    await bench.close();
  }
}, 30_000);
