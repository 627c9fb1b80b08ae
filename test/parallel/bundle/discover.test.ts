// Problems of the files themselves: each is one clear diagnostic, and the rest of the report is complete.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discover } from '../../../src/bundle/discover.js';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { main, patchTool, temporaryFolder, toolwharf } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
const at = (path: string) => join(folder.path, path);
const isRoot = process.getuid?.() === 0;

beforeEach(() => {
  folder = temporaryFolder({ 'good/word_count.py': patchTool({ name: 'word_count' }) });
});
afterEach(() => folder.remove());

/** Checks the whole folder by default. Then the valid tool must be in the results, too. */
async function validate(...args: string[]): Promise<{ code: number | null; findings: string[] }> {
  const done = await toolwharf(['validate', '--json', ...(args.length === 0 ? ['.'] : args)], {
    cwd: folder.path,
  });
  const { files } = JSON.parse(done.stdout);
  if (args.length === 0)
    expect(files).toContainEqual(expect.objectContaining({ file: 'good/word_count.py', ok: true }));
  const findings = files.flatMap((it: { diagnostics: { file: string; code: string }[] }) =>
    it.diagnostics.map((one) => `${one.file} ${one.code}`),
  );
  return { code: done.code, findings };
}

describe('files that cannot be read as a manifest', () => {
  const cases: readonly (readonly [string, () => void, string])[] = [
    [
      'a file that is not UTF-8',
      () =>
        writeFileSync(
          at('bad.py'),
          Buffer.concat([
            Buffer.from('# ---\n# version: 1\n# name: '),
            Buffer.from([0xff, 0xfe]),
            Buffer.from('\n# ---\n'),
          ]),
        ),
      'bad.py file.not-utf8',
    ],
    [
      'a file with a byte order mark',
      () => writeFileSync(at('findagent.json'), '\uFEFF{}'),
      'findagent.json file.byte-order-mark',
    ],
    [
      'a file that is not JSON',
      () => writeFileSync(at('findagent.json'), '{"name": '),
      'findagent.json syntax.json',
    ],
    ['an empty file', () => writeFileSync(at('plugin.toml'), ''), 'plugin.toml file.empty'],
    [
      'a folder with the name of a manifest',
      () => mkdirSync(at('plugin.toml')),
      'plugin.toml file.not-regular',
    ],
    ['a pipe', () => void spawnSync('mkfifo', [at('findagent.json')]), 'findagent.json file.not-regular'],
    ['a link to itself', () => symlinkSync('plugin.toml', at('plugin.toml')), 'plugin.toml file.not-regular'],
    ['a link to nothing', () => symlinkSync('nowhere', at('findagent.json')), 'findagent.json file.missing'],
    [
      'a link that leads out of the folder',
      () => symlinkSync('/etc', at('system')),
      'system file.link-escape',
    ],
    [
      'a file that is too large',
      () => writeFileSync(at('toolspace.json'), `{"a":"${'x'.repeat(1024 * 1024)}"}`),
      'toolspace.json file.too-large',
    ],
  ];
  test.each(cases)('%s is one error when its folder is checked', async (_name, make, expected) => {
    make();
    expect(await validate()).toEqual({ code: 3, findings: [expected] });
  });

  test.each(cases.filter(([name]) => !name.includes('leads out')))(
    '%s is one error when it is named on the command line',
    async (_name, make, expected) => {
      make();
      expect(await validate(expected.split(' ')[0] as string)).toEqual({ code: 3, findings: [expected] });
    },
  );

  test('validate does not wait for a pipe when it prints text', async () => {
    spawnSync('mkfifo', [at('findagent.json')]);
    const done = await toolwharf(['validate', '.'], { cwd: folder.path });
    expect(done).toMatchObject({ code: 3, stdout: expect.stringContaining('file.not-regular') });
  });

  test('a device file is one error', async () => {
    expect(await validate('/dev/null')).toEqual({ code: 3, findings: ['/dev/null file.not-regular'] });
  });

  test('a file without read permission is an error, and the others are checked', async () => {
    writeFileSync(at('findagent.json'), '{}');
    chmodSync(at('findagent.json'), 0);
    const user = isRoot ? { uid: 65532, gid: 65532 } : {};
    const options = { ...user, encoding: 'utf8', cwd: '/', env: { PATH: '/usr/bin:/bin' } } as const;
    const done = spawnSync(process.execPath, [main, 'validate', '--json', folder.path], options);
    expect(done.status).toBe(3);
    expect(done.stdout).toContain('file.unreadable');
    expect(done.stdout).toContain('word_count');
  });
});

describe('the search', () => {
  test('the search skips generated folders, follows inner links and visits each folder once', () => {
    for (const name of ['node_modules', '.git', 'target', 'dist', '.build', '__pycache__', '.venv']) {
      mkdirSync(at(name));
      writeFileSync(at(`${name}/tool.py`), patchTool({ name: 'hidden' }));
    }
    symlinkSync('.', at('loop'));
    symlinkSync('good', at('again'));
    symlinkSync('good/word_count.py', at('linked.py'));
    const { found, problems } = discover(['.'], { cwd: folder.path, formats: builtInFormats });
    expect(found.map((it) => it.file)).toEqual(['again/word_count.py', 'linked.py']);
    expect(problems).toEqual([]);
  });

  test('the search has a maximum depth', () => {
    const deep = Array.from({ length: 12 }, (_, index) => `d${index}`).join('/');
    mkdirSync(at(deep), { recursive: true });
    writeFileSync(at(`${deep}/tool.py`), patchTool({ name: 'deep' }));
    expect(discover(['.'], { cwd: folder.path, formats: builtInFormats }).found.map((it) => it.file)).toEqual(
      ['good/word_count.py'],
    );
  });

  test('a package inside a package of the same format is only counted', () => {
    for (const path of ['ext', 'ext/inner']) {
      mkdirSync(at(path), { recursive: true });
      writeFileSync(at(`${path}/plugin.toml`), '[plugin]\n');
    }
    const { found, nested } = discover(['.'], { cwd: folder.path, formats: builtInFormats });
    expect(found.map((it) => it.file)).toEqual(['ext/plugin.toml', 'good/word_count.py']);
    expect(nested).toBe(1);
  });

  test('--as sets the format of a file', async () => {
    writeFileSync(at('thing.json'), '{}');
    expect((await validate('thing.json')).findings).toEqual(['thing.json file.unknown-format']);
    expect(
      (await validate('thing.json', '--as', 'toolspace')).findings.every((it) =>
        it.startsWith('thing.json schema.'),
      ),
    ).toBe(true);
  });

  test('the result and its order do not depend on the order of the paths', () => {
    const once = discover(['.'], { cwd: folder.path, formats: builtInFormats }).found.map((it) => it.file);
    expect(
      discover(['good', '.', './good/word_count.py'], {
        cwd: folder.path,
        formats: builtInFormats,
      }).found.map((it) => it.file),
    ).toEqual(once);
  });
});
