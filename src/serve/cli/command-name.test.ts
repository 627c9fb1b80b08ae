import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandName, withCommandName } from './command-name.js';

const folder = mkdtempSync(join(tmpdir(), 'toolwharf-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const main = join(folder, 'main.cjs');
writeFileSync(main, '');
chmodSync(main, 0o755);
for (const name of ['linked', 'other']) mkdirSync(join(folder, name));
symlinkSync(main, join(folder, 'linked/toolwharf'));
writeFileSync(join(folder, 'other/toolwharf'), '', { mode: 0o755 });

test.each([
  ['the command is on PATH', { PATH: join(folder, 'linked') }, 'toolwharf'],
  [
    'another program has that name',
    { PATH: `${join(folder, 'other')}:${join(folder, 'linked')}` },
    `node ${main}`,
  ],
  ['it is not on PATH', { PATH: folder }, `node ${main}`],
  ['npx started it', { PATH: join(folder, 'linked'), npm_command: 'exec' }, 'npx toolwharf'],
  ['a script of npm started it', { PATH: join(folder, 'linked'), npm_command: 'run-script' }, `node ${main}`],
  [
    'the environment names it',
    { TOOLWHARF_COMMAND: 'docker exec host toolwharf' },
    'docker exec host toolwharf',
  ],
])('%s', (_, environment, name) => expect(commandName(main, environment)).toBe(name));

test('commands in hints get that name, other words do not', () => {
  const hint =
    'set it: toolwharf secret set a b; or see "toolwharf --help" of toolwharf.toml in ~/.toolwharf state';
  expect(withCommandName(hint, 'npx toolwharf')).toBe(
    'set it: npx toolwharf secret set a b; or see "npx toolwharf --help" of toolwharf.toml in ~/.toolwharf state',
  );
  expect(withCommandName(hint, 'toolwharf')).toBe(hint);
  const added = 'claude mcp add --transport http toolwharf http://127.0.0.1:8080/mcp';
  expect(withCommandName(added, 'npx toolwharf')).toBe(added);
});
