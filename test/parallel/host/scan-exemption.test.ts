// The operator can keep one finding of the scanner: one rule at one place in the answers of one tool.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionPolicy } from '../../../src/index.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import {
  findagent,
  inputOf,
  pythonTool,
  resultOf,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

// Never written in one piece.
const random = ['b7Xq9TzL', '20wPvR4k', '8NmY3sHc6'].join('');
const shaped = `gh${'p_'}${['A1b2C3d4E5f6', 'G7h8I9j0K1l2', 'M3n4O5p6Q7r8'].join('')}`;

let bench: Workbench;
beforeAll(async () => {
  const body = [
    `row = {"session_token": "${random.slice(0, 12)}" + "${random.slice(12)}", "note": "gh" + "${shaped.slice(2)}"}`,
    'return {"items": [row, row], "password": row["session_token"]}',
  ];
  bench = await workbench({
    'rows.py': pythonTool({ name: 'rows', filesystem: 'read-write', body }),
    'other.py': pythonTool({ name: 'other', filesystem: 'read-write', body }),
  });
});
afterAll(() => bench.close());

const answerOf = async (tool: string, policy: SessionPolicy = {}) => {
  const session = await bench.session({ policy });
  return (await resultOf(session.call({ tool, arguments: {} }))) as {
    items: { session_token: string; note: string }[];
    password: string;
  };
};
const guess = '[redacted:assigned-secret]';
const exempt = (path: string, rule = 'assigned-secret', tool = 'rows/rows') => ({
  scanExempt: [`${tool} ${path} ${rule}`],
});

describe('an exemption from the scanner', () => {
  test('without one, every finding is removed', async () => {
    const { items, password } = await answerOf('rows');
    expect(items).toEqual(Array(2).fill({ session_token: guess, note: '[redacted:github-token]' }));
    expect(password).toBe(guess);
  });

  test('it keeps what its rule finds at its path, and nothing else', async () => {
    const { items, password } = await answerOf('rows', exempt('result.items[*].session_token'));
    expect(items).toEqual(Array(2).fill({ session_token: random, note: '[redacted:github-token]' }));
    expect(password).toBe(guess);
  });

  test.each([
    ['one item of a list', exempt('result.items[1].session_token'), [guess, random]],
    ['another path', exempt('result.items[*].note'), [guess, guess]],
    ['another rule', exempt('result.items[*].session_token', 'github-token'), [guess, guess]],
    ['another tool', exempt('result.items[*].session_token', undefined, 'other/other'), [guess, guess]],
  ])('it is narrow: %s', async (_what, policy, expected) => {
    const { items } = await answerOf('rows', policy);
    expect(items.map((it) => it.session_token)).toEqual(expected);
  });

  test('a value of the vault is removed in spite of it', async () => {
    const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
    await bench.host.secrets.set({ package: 'other', slot: 'DOOR', value: random, audience, by: 'operator' });
    const answer = await answerOf('rows', exempt('result.items[*].session_token'));
    expect(JSON.stringify(answer)).not.toContain(random);
    await bench.host.secrets.unset('other', 'DOOR', 'operator');
    expect(JSON.stringify(await answerOf('rows', exempt('result.items[*].session_token')))).toContain(random);
  });

  test.each([
    ['rows result.a assigned-secret'],
    ['rows/* result.a assigned-secret'],
    ['rows/rows elsewhere jwt'],
    ['rows/rows result.a no-such-rule'],
    ['rows/rows result.a *'],
  ])('%s is rejected', async (text) => {
    await expect(bench.session({ policy: { scanExempt: [text] } })).rejects.toMatchObject({
      code: 'invalid_config',
      hint: expect.stringContaining('policy explain'),
    });
  });

  test('explain says what is removed from an answer, where, why, and which setting keeps it', async () => {
    const result = { items: [{ session_token: random, note: shaped }] };
    const findings = async (policy: SessionPolicy) => {
      const session = await bench.session({ policy });
      return (await session.explain({ tool: 'rows', result })).findings;
    };
    const found = await findings({});
    expect(found).toEqual([
      {
        path: 'result.items[0].session_token',
        rule: 'assigned-secret',
        reason: 'guess',
        exempt: false,
        setting: 'rows/rows result.items[*].session_token assigned-secret',
      },
      {
        path: 'result.items[0].note',
        rule: 'github-token',
        reason: 'format',
        exempt: false,
        setting: 'rows/rows result.items[*].note github-token',
      },
    ]);
    expect(JSON.stringify(found)).not.toContain(random);
    const kept = await findings({ scanExempt: [found?.[0]?.setting as string] });
    expect(kept?.map((it) => it.exempt)).toEqual([true, false]);
    // Without an answer there is nothing to say.
    expect(await (await bench.session({})).explain({ tool: 'rows' })).not.toHaveProperty('findings');
  });
});

describe('on the command line', () => {
  const say = {
    name: 'say',
    description: 'Say it again.',
    input_schema: inputOf({ text: { type: 'string' } }),
    action: { type: 'prompt-template', template: '{text}' },
  };
  const folder = temporaryFolder({ 'echo/findagent.json': findagent('Echo', { tools: [say] }) });
  afterAll(() => folder.remove());
  const env = { TOOLWHARF_HOME: join(folder.path, 'state'), HOME: folder.path, NO_COLOR: '1' };
  const run = (args: string[]) => toolwharf(args, { cwd: folder.path, env });

  test('policy explain prints the setting that keeps a finding, and the setting works', async () => {
    const text = `session_token = ${random}`;
    writeFileSync(join(folder.path, 'answer.json'), JSON.stringify({ note: text }));
    const explained = await run([
      'policy',
      'explain',
      'echo/say',
      '--result',
      'answer.json',
      '--dir',
      'echo',
    ]);
    expect(explained.stdout).toContain('removes    result.note: assigned-secret (a guess');
    expect(explained.stdout).toContain('scan.exempt = ["echo/say result.note assigned-secret"]');
    expect(explained.stdout).not.toContain(random);
    writeFileSync(
      join(folder.path, 'config.toml'),
      '[scan]\nexempt = ["echo/say result.note assigned-secret"]\n',
    );
    const configured = ['--config', 'config.toml'];
    const kept = await run([
      'policy',
      'explain',
      'echo/say',
      '--result',
      'answer.json',
      '--dir',
      'echo',
      ...configured,
    ]);
    expect(kept.stdout).toContain('keeps      result.note: assigned-secret, because of scan.exempt');
    expect((await run(['doctor', ...configured])).stdout).toContain('scan.exempt');
  });

  test('an answer that cannot be read is rejected', async () => {
    const { code, stderr } = await run([
      'policy',
      'explain',
      'echo/say',
      '--result',
      'none.json',
      '--dir',
      'echo',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--result: none.json cannot be read');
  });
});
