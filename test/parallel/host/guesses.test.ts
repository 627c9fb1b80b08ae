// Secrets without a known format are guessed. Only the operator can turn guessing off where it does harm.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionPolicy } from '../../../src/index.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import {
  failureOf,
  findagent,
  inputOf,
  pythonTool,
  resultOf,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

// Never written in one piece.
const guessed = `session_token = ${['b7Xq9', 'TzL20wPv', 'R4k8Nm'].join('')}`;
const shaped = `gh${'p_'}${['A1b2C3d4E5f6', 'G7h8I9j0K1l2', 'M3n4O5p6Q7r8'].join('')}`;

const say = (name: string) => ({
  name,
  description: 'Say it again.',
  input_schema: inputOf({ text: { type: 'string' } }),
  action: { type: 'prompt-template', template: 'it says {text}' },
});
const files = {
  'echo/findagent.json': findagent('Echo', { tools: [say('say'), say('repeat')] }),
  'other/findagent.json': findagent('Other', { tools: [say('say')] }),
};

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({
    ...files,
    'quoter.py': pythonTool({
      name: 'quoter',
      filesystem: 'read-write',
      body: [`return {"text": "such as " + "AKIA" + "${'IOSFODNN7'}" + "EXAMPLE"}`],
    }),
  });
});
afterAll(() => bench.close());

const answerOf = async (tool: string, text: string, policy: SessionPolicy = {}) => {
  const session = await bench.session({ policy });
  return JSON.stringify(await resultOf(session.call({ tool, arguments: { text } })));
};

describe('guessing of secrets', () => {
  test('guessing is on by default', async () => {
    expect(await answerOf('echo/say', guessed)).toContain('[redacted:assigned-secret]');
  });

  test.each([
    ['everywhere', ['*'], [true, true, true]],
    ['in a package', ['echo'], [true, true, false]],
    ['in a tool', ['echo/repeat'], [false, true, false]],
    ['by a pattern', ['*/say'], [true, false, true]],
  ])('guessing is off %s', async (_where, noGuesses, expected) => {
    const tools = ['echo/say', 'echo/repeat', 'other/say'];
    for (const [index, tool] of tools.entries()) {
      const passes = (await answerOf(tool, guessed, { noGuesses })).includes(guessed);
      expect(passes, tool).toBe(expected[index]);
    }
  });

  test('without guessing, known key formats and values of the vault are still redacted', async () => {
    const noGuesses = ['*'];
    expect(await answerOf('echo/say', shaped, { noGuesses })).toContain('[redacted:github-token]');
    const value = ['zulu', 'kilo', 'papa', '77'].join('-');
    const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
    await bench.host.secrets.set({ package: 'echo', slot: 'DOOR', value, audience, by: 'operator' });
    expect(await answerOf('echo/say', `password = ${value}`, { noGuesses })).not.toContain(value);
  });

  test('a published sample key passes in an answer, but not in arguments', async () => {
    const sample = `AKIA${'IOSFODNN7'}EXAMPLE`;
    const session = await bench.session();
    const asked = await session.call({ tool: 'quoter', arguments: {} });
    expect(JSON.stringify(await resultOf(asked))).toContain(sample);
    const refused = await failureOf(session.call({ tool: 'quoter', arguments: { text: sample } }));
    expect(refused.code).toBe('guardrail');
    expect(refused.message).toContain('aws-access-key');
  });

  test('explain shows whether guessing is on', async () => {
    const explained = async (noGuesses: string[]) => {
      const session = await bench.session({ policy: { noGuesses } });
      return (await session.explain({ tool: 'echo/say' })).guardrails.guesses;
    };
    expect(await explained([])).toBe(true);
    expect(await explained(['other'])).toBe(true);
    expect(await explained(['echo'])).toBe(false);
  });

  test('a noGuesses value that is not a list of strings is rejected', async () => {
    const policy = { noGuesses: 'echo' } as unknown as SessionPolicy;
    await expect(bench.session({ policy })).rejects.toMatchObject({ code: 'invalid_config' });
  });
});

describe('on the command line', () => {
  const folder = temporaryFolder({ ...files, 'config.toml': '[scan]\nno_guesses = ["echo"]\n' });
  afterAll(() => folder.remove());
  const env = { TOOLWHARF_HOME: join(folder.path, 'state'), HOME: folder.path, NO_COLOR: '1' };
  const run = (args: string[], cwd = folder.path) => toolwharf(args, { cwd, env });

  test('with scan.no_guesses an answer passes, and explain and doctor say why', async () => {
    const call = ['call', 'echo/say', JSON.stringify({ text: guessed }), '--dir', 'echo'];
    expect((await run(call)).stdout).not.toContain(guessed);
    expect((await run([...call, '--config', 'config.toml'])).stdout).toContain(guessed);
    const explained = await run([
      'policy',
      'explain',
      'echo/say',
      '--dir',
      'echo',
      '--config',
      'config.toml',
    ]);
    expect(explained.stdout).toMatch(/keeps .*scan\.no_guesses/);
    const doctor = await run(['doctor', '--config', 'config.toml']);
    expect(doctor.stdout).toMatch(/scan.*echo/);
    expect(doctor.stdout).toContain('config.toml');
    expect((await run(['doctor'])).stdout).not.toContain('no_guesses');
  });

  test('a project cannot turn guessing off', async () => {
    const project = join(folder.path, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'toolwharf.toml'), '[scan]\nno_guesses = ["*"]\n');
    const call = ['call', 'echo/say', JSON.stringify({ text: guessed }), '--dir', '../echo'];
    const { code, stdout, stderr } = await run(call, project);
    expect(code).not.toBe(0);
    expect(stdout).not.toContain(guessed);
    expect(stderr).toContain('scan.no_guesses cannot be set in a project file');
  });
});
