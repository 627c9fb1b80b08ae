// Binary answers and errors of tools on the command line: in a pipe, in a file, at a terminal and as JSON.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../../../src/index.js';
import { printResult } from '../../../../src/serve/cli/call-result.js';
import type { Arguments } from '../../../../src/serve/cli/command/command.js';
import { answerPackage, png, toolError } from '../../../support/answer-package.js';
import { testTerminal } from '../../../support/terminal.js';
import { main, temporaryFolder } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder(answerPackage);
});

afterAll(() => folder.remove());

function call(tool: string, ...more: readonly string[]) {
  const state = join(folder.path, 'state');
  const args = ['call', join(folder.path, 'answers'), tool, '--state', state, '--root', folder.path, ...more];
  return spawnSync(process.execPath, [main, ...args], { cwd: folder.path });
}

test('a pipe gets the bytes of a binary answer, and nothing else', () => {
  const { status, stdout, stderr } = call('image');
  expect(stderr.toString()).toBe('');
  expect(status).toBe(0);
  expect(stdout).toEqual(png);
});

test('--output writes the bytes to a new file and never replaces one', () => {
  const first = call('image', '--output', 'dot.png');
  expect([first.status, first.stdout.toString()]).toEqual([0, '']);
  expect(first.stderr.toString()).toMatch(/wrote .*dot\.png \(image\/png, 70 bytes\)/);
  expect(readFileSync(join(folder.path, 'dot.png'))).toEqual(png);
  const again = call('image', '--output', 'dot.png');
  expect(again.status).toBe(2);
  expect(again.stderr.toString()).toContain('dot.png exists already');
  const failed = call('fail', '--output', 'none.txt');
  expect(failed.status).toBe(1);
  expect(existsSync(join(folder.path, 'none.txt'))).toBe(false);
});

test('a terminal does not get bytes, but is told how to save them', () => {
  const terminal = { ...testTerminal({ cwd: folder.path }), stdoutIsTerminal: true };
  const answer: Answer & { status: 'ok' } = {
    ...{ status: 'ok', tool: 'answers/image', callId: 'call', durationMs: 1, warnings: [] },
    result: png.toString('base64'),
    binary: { encoding: 'base64', mimeType: 'image/png', bytes: png.length },
  };
  printResult(answer, { has: () => false } as unknown as Arguments, terminal);
  expect(terminal.printed.out).toBe(
    'binary result (image/png, 70 bytes), not shown. Save it with --output FILE, or use a pipe.\n',
  );
});

test('--json marks a binary answer and keeps the code and the details of a tool error', () => {
  expect(JSON.parse(call('image', '--json').stdout.toString())).toMatchObject({
    schema: 'toolwharf/call@1',
    result: png.toString('base64'),
    binary: { encoding: 'base64', mimeType: 'image/png', bytes: 70 },
  });
  const failed = call('fail', '--json');
  expect(failed.status).toBe(1);
  expect(JSON.parse(failed.stdout.toString())).toMatchObject({
    status: 'error',
    error: { code: 'tool_failed', toolError },
  });
  const text = call('fail').stderr.toString();
  expect(text).toContain('no_such_row: there is no row 7');
  expect(text).toContain('details: {"row":7,"nearest":[6,8]}');
});
