// `update` without a name: every package that has another version, each with a plan of its own.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CounterOptions, counterPackage } from '../../support/lifecycle-packages.js';
import { patchTool, temporaryFolder, toolwharf } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder({});
});
afterAll(() => folder.remove());

const run = (...args: readonly string[]) =>
  toolwharf([...args, '--state', join(folder.path, 'state')], {
    cwd: folder.path,
    env: { HOME: folder.path, XDG_CONFIG_HOME: '' },
  });

function write(answer: string, options: CounterOptions = {}) {
  const files = { ...counterPackage({ answer, ...options }), 'count_words.py': tool(answer) };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
}
const tool = (answer: string) =>
  patchTool({ name: 'count_words', body: `    return {"answer": "${answer}"}` });

/** What each package answers. */
async function answers() {
  const found = [];
  for (const it of ['counter/count', 'count_words/count_words']) {
    const { stdout } = await run('call', it, '{"text":"a"}', '--quiet');
    found.push(JSON.parse(stdout).answer);
  }
  return found;
}

test('each package is updated by itself, and one that needs agreement does not stop the other', async () => {
  write('one');
  for (const it of ['./counter', './count_words.py'])
    expect(await run('install', it, '--yes')).toMatchObject({ code: 0 });
  expect(await run('update', '--yes')).toMatchObject({
    code: 0,
    stdout: 'all installed packages are up to date\n',
  });

  write('two', { smoke: { kind: 'shell', command: ['true'], success: {} } });
  const asked = await run('update', '--yes');
  expect(asked).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/1 of 2 packages was not updated\n\s*counter: .*\n.*--agree [0-9a-f]{64}/),
  });
  expect(asked.stdout).toContain('updated count_words from');
  expect(await answers()).toEqual(['one', 'two']);

  write('three');
  expect(await run('update', '--yes')).toMatchObject({ code: 0 });
  expect(await answers()).toEqual(['three', 'three']);
}, 60_000);

test('what belongs to one package needs its name', async () => {
  for (const it of [['--agree', 'f'.repeat(64)], ['--allow', 'net:example.com'], ['--json']])
    expect(await run('update', ...it), it.join(' ')).toMatchObject({
      code: 2,
      [it[0] === '--json' ? 'stdout' : 'stderr']: expect.stringContaining('needs the name of one package'),
    });
}, 30_000);
