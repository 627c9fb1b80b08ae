// The PIN and standing rules as users see them: commands, files and a terminal.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atTerminal, patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

const pin = ['open', 'sesame', '9'].join('-');

let folder: ReturnType<typeof temporaryFolder>;
let state: string[];
let pinFile: string[];
beforeAll(() => {
  folder = temporaryFolder({
    'tools/note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
  });
  state = ['--state', join(folder.path, 'state')];
  writeFileSync(join(folder.path, 'pin.txt'), `${pin}\n`, { mode: 0o600 });
  pinFile = ['--pin-file', join(folder.path, 'pin.txt')];
});
afterAll(() => folder.remove());

const run = (...args: string[]) => toolwharf([...args, ...state], { cwd: folder.path });
const tool = () => join(folder.path, 'tools', 'note.py');

async function held(text: string): Promise<string> {
  const { code, stdout } = await run('call', '--json', tool(), JSON.stringify({ text }));
  expect(code).toBe(5);
  return JSON.parse(stdout).confirmation.token;
}

describe('toolwharf pin', () => {
  test('sets it from standard input or asks for it twice, and never accepts it as an argument', async () => {
    // Accepted before there is a PIN.
    expect((await run('review', 'tools', '--yes')).code).toBe(0);
    expect((await run('pin')).stdout).toContain('no PIN is set');
    const argument = await run('pin', 'set', pin);
    expect([argument.code, `${argument.stdout}${argument.stderr}`.includes(pin)]).toEqual([2, false]);
    expect((await toolwharf(['pin', 'set', ...state], { stdin: '123456\n' })).code).toBe(2);
    const done = await toolwharf(['pin', 'set', ...state], { stdin: `${pin}\n` });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('the PIN is set') });
    expect(JSON.parse((await run('pin', 'status', '--json')).stdout)).toEqual({
      schema: 'toolwharf/pin@1',
      set: true,
      failures: 0,
    });
    expect((await run('pin', 'set')).code).toBe(2);
  });

  test('after that, approving needs it: from a file, or at the terminal without showing it', async () => {
    const token = await held('a');
    const denied = await run('approvals', 'approve', token);
    expect(denied).toMatchObject({ code: 5, stderr: expect.stringContaining('--pin-file') });
    expect((await run('call', '--json', tool(), '{"text":"a"}')).code).toBe(5);
    const shown = JSON.parse((await run('approvals', 'approve', token, ...pinFile, '--json')).stdout);
    expect(shown.requests[0]).toMatchObject({
      state: 'approved',
      decision: { channel: 'terminal', verified: true },
    });
    const second = await held('b');
    const terminal = await atTerminal(['approvals', 'approve', second, ...state], {
      after: '(not shown):',
      type: `${pin}\n`,
    });
    expect(terminal).toContain('may run once');
    expect(terminal).not.toContain(pin);
    const wrong = await atTerminal(['approvals', 'approve', await held('c'), ...state], {
      after: '(not shown):',
      type: 'something-else\n',
    });
    expect(wrong).toContain('the PIN is wrong');
  });

  test('rules need it, apply to later commands, are listed and can be revoked', async () => {
    const rule = ['approvals', 'allow', 'note/note', '--dir', 'tools', '--when', 'text', 'matches', '[a-z]+'];
    expect((await run(...rule)).code).toBe(5);
    const loose = await run('approvals', 'allow', 'note/note', '--dir', 'tools', ...pinFile);
    expect(loose).toMatchObject({ code: 2, stderr: expect.stringContaining('--any text') });
    const made = JSON.parse((await run(...rule, ...pinFile, '--until', '2h', '--json')).stdout);
    expect(made).toMatchObject({
      schema: 'toolwharf/rules@1',
      rules: [{ tool: 'note/note', verified: true, state: 'active', used: 0 }],
    });
    expect((await run('call', tool(), '{"text":"letters"}')).code).toBe(0);
    expect((await run('call', tool(), '{"text":"Letters!"}')).code).toBe(5);
    const listed = await run('approvals', 'rules');
    expect(listed.stdout).toContain('when    text matches [a-z]+');
    expect(listed.stdout).toContain('used    once');
    expect((await run('approvals', 'revoke', made.rules[0].id)).code).toBe(0);
    expect((await run('call', tool(), '{"text":"letters"}')).code).toBe(5);
  });

  test('changes or removes it only with the current PIN', async () => {
    const next = `${pin}-2`;
    const wrong = join(folder.path, 'wrong.txt');
    writeFileSync(wrong, 'not-the-right-one');
    const change = (file: string[]) => toolwharf(['pin', 'change', ...file, ...state], { stdin: next });
    expect((await change(['--pin-file', wrong])).code).toBe(5);
    expect((await change(pinFile)).code).toBe(0);
    expect((await run('pin', 'remove', ...pinFile)).code).toBe(5);
    writeFileSync(join(folder.path, 'pin.txt'), next);
    expect((await run('pin', 'remove', ...pinFile)).code).toBe(0);
    expect((await run('approvals', 'approve', await held('d'))).code).toBe(0);
  });
});
