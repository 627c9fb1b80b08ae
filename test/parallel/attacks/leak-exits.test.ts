// SECURITY.md: "Secrets are removed from output". A tool outputs its own secret and one of another package,
// in many encodings and on every surface. No reader gets the secret.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../src/index.js';
import { type HttpBench, httpBench } from '../../support/http-bench.js';
import { BareClient, frontFor, officialClient } from '../../support/mcp-wire.js';
import { knownEffectsOptions, toolwharf } from '../../support/toolwharf.js';
import { failureOf, pythonTool, resultOf, talos } from '../../support/workbench.js';

// Split, so that the source does not contain the whole value.
const own = ['Zk9-vQ2.mX7', '_tR4/wL8+', 'bN3"ü 55'].join('');
const others = ['hq7T-', 'wW31-', 'pLm90-', 'xxYb2'].join('');

/** Encodings of a secret, as code of the tool. */
const encodings: Readonly<Record<string, string>> = {
  raw: 'key',
  capitals: 'key.toUpperCase()',
  json: 'JSON.stringify(JSON.stringify(key))',
  url: 'encodeURIComponent(key)',
  form: 'new URLSearchParams({ key }).toString()',
  base64: 'Buffer.from("user:" + key).toString("base64")',
  base64url: 'Buffer.from("a" + key + "b").toString("base64url")',
  base64lines: 'Buffer.from(key).toString("base64").replace(/(.{6})/g, "$1\\n")',
  base64twice: 'Buffer.from(Buffer.from(key).toString("base64")).toString("base64")',
  hex: 'Buffer.from(key).toString("hex")',
  hexmarks: '[...Buffer.from(key)].map((it) => "0x" + it.toString(16).padStart(2, "0")).join(", ")',
  backwards: '[...key].reverse().join("")',
  dashes: '[...key].join("-")',
  unseen: '[...key].join("\\u200b")',
  newlines: '[...key].join("\\n")',
  piece: 'key.slice(3, 16)',
};
const code = `const encodings = { ${Object.entries(encodings)
  .map(([name, it]) => `${name}: (key) => ${it}`)
  .join(', ')} };
export const handlers = {
  say({ way }, credentials) {
    const text = encodings[way](credentials.door_key);
    console.error('log ' + text);
    return { text, [text]: 1, list: [text.slice(0, 9), text.slice(9)], deep: [{ text: 'it is ' + text }] };
  },
  fail({ way }, credentials) {
    throw new Error('it is ' + encodings[way](credentials.door_key));
  },
  letters(args, credentials) {
    return [...credentials.door_key];
  },
  codes(args, credentials) {
    return [...credentials.door_key].map((it) => it.charCodeAt(0));
  },
  // Control: proves that the tool has the secret, in an encoding that is not detected.
  proof(args, credentials) {
    return credentials.door_key.length * 1000 + credentials.door_key.charCodeAt(0);
  },
};
`;

let home: HttpBench;

beforeAll(async () => {
  const packages = {
    ...talos({
      id: 'leak',
      code,
      functions: ['say', 'fail', 'letters', 'codes', 'proof'],
      rest: { credentials: [{ name: 'door_key', label: 'Door key', required: true }] },
    }),
    'echo.py': pythonTool({ name: 'echo', body: ['return {"text": text}'] }),
    'saver.py': pythonTool({ name: 'saver', filesystem: 'read-write', body: ['return {"text": text}'] }),
    'asker.py': pythonTool({ name: 'asker', humanConfirm: true, body: ['return {"text": text}'] }),
    'whisper.py': pythonTool({
      name: 'whisper',
      body: [`return {"text": "${others.slice(0, 9)}" + "${others.slice(9)}"}`],
    }),
  };
  home = await httpBench({}, {}, packages);
  const { secrets } = home.bench.host;
  const audience = { kind: 'hosts', hosts: ['keys.example.org'] } as const;
  await secrets.set({ package: 'leak', slot: 'door_key', value: own, audience, by: 'test' });
  await secrets.set({ package: 'gone', slot: 'API_KEY', value: others, audience, by: 'test' });
}, 60_000);
afterAll(() => home.close());

/** Fails if the text contains 12 consecutive characters of the value in a known encoding. */
function expectNothing(output: string, value: string): void {
  for (const form of [
    value,
    value.toUpperCase(),
    encodeURIComponent(value),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('base64').slice(0, -4),
    Buffer.from(Buffer.from(value).toString('base64')).toString('base64').slice(0, -4),
    [...value].reverse().join(''),
  ])
    for (let at = 0; at + 12 <= form.length; at += 3) expect(output).not.toContain(form.slice(at, at + 12));
  const bare = output.replace(/[^A-Za-z0-9]/g, '');
  const letters = value.replace(/[^A-Za-z0-9]/g, '');
  for (let at = 0; at + 12 <= letters.length; at++) expect(bare).not.toContain(letters.slice(at, at + 12));
}

test('control: the tool has the secret, and an unknown encoding is not detected', async () => {
  const session = await home.bench.session();
  expect(await resultOf(session.call({ tool: 'leak/proof', arguments: {} }))).toBe(
    own.length * 1000 + own.charCodeAt(0),
  );
});

describe('secrets are removed on every surface', () => {
  test.each(Object.keys(encodings))('the encoding %s is removed', async (way) => {
    const session = await home.bench.session();
    const output = await session.call({ tool: 'leak/say', arguments: { way } });
    expect(output, JSON.stringify(output)).toMatchObject({ status: 'ok' });
    const failed = await session.call({ tool: 'leak/fail', arguments: { way } });
    expect(failed.status).toBe('error');
    const api = await home.request('/api/v1/call', { body: { tool: 'leak/say', arguments: { way } } });
    const client = await officialClient(frontFor({ host: home.bench.host, session }), '2026');
    const mcp = await client.callTool({ name: 'leak_say', arguments: { way } });
    const broken = await client.callTool({ name: 'leak_fail', arguments: { way } });
    await client.close();
    for (const it of [output, failed, api.json, mcp, broken]) {
      expect(JSON.stringify(it)).toContain('[redacted:door_key]');
      expectNothing(JSON.stringify(it), own);
      // JSON escapes must not hide a secret either.
      expectNothing(texts(it).join('\n'), own);
      expectNothing(texts(it).join(''), own);
    }
  });

  test('single characters and character codes are removed', async () => {
    const session = await home.bench.session();
    for (const tool of ['leak/letters', 'leak/codes']) {
      const answer = await session.call({ tool, arguments: {} });
      expect(JSON.stringify(answer)).toContain('[redacted:door_key]');
      expectNothing(texts(answer as unknown as Json).join(''), own);
    }
  });

  test('a raw MCP client gets redacted answers', async () => {
    const session = await home.bench.session();
    const client = new BareClient(frontFor({ host: home.bench.host, session }));
    await client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
    const answer = await client.request('tools/call', { name: 'leak_say', arguments: { way: 'raw' } }, 2);
    client.leave();
    expect(JSON.stringify(answer)).toContain('[redacted:door_key]');
    expectNothing(JSON.stringify(answer), own);
  });
});

test('a package cannot output a secret of another package', async () => {
  const session = await home.bench.session();
  expect(await resultOf(session.call({ tool: 'whisper/whisper', arguments: {} }))).toEqual({
    text: '[redacted:gone/API_KEY]',
  });
  // Control: without this secret in the vault, the same text is not removed.
  await home.bench.host.secrets.unset('gone', 'API_KEY', 'test');
  expect(await resultOf(session.call({ tool: 'whisper/whisper', arguments: {} }))).toEqual({ text: others });
  await home.bench.host.secrets.set({
    package: 'gone',
    slot: 'API_KEY',
    value: others,
    audience: { kind: 'hosts', hosts: ['keys.example.org'] },
    by: 'test',
  });
});

describe('in arguments', () => {
  test('a secret of another package is rejected by its name, and the call is not held', async () => {
    const session = await home.bench.session();
    for (const tool of ['echo/echo', 'saver/saver', 'asker/asker'])
      for (const text of [others, `x ${Buffer.from(others).toString('base64')}`, [...others].join(' ')]) {
        const failed = await failureOf(session.call({ tool, arguments: { text } }));
        expect(failed).toMatchObject({ status: 'denied', code: 'guardrail' });
        expect(failed.message).toContain('gone/API_KEY');
        expectNothing(JSON.stringify(failed), others);
      }
    expect(await home.bench.host.approvals.list()).toEqual([]);
  });

  test('text that looks like a key is rejected if the tool could send it on, and allowed for a pure tool', async () => {
    const session = await home.bench.session();
    const key = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('');
    const failed = await failureOf(session.call({ tool: 'saver/saver', arguments: { text: `use ${key}` } }));
    expect(failed).toMatchObject({ code: 'guardrail', message: expect.stringContaining('github-token') });
    expect(failed.hint).toContain('toolwharf secret set');
    const answer = await session.call({ tool: 'echo/echo', arguments: { text: `use ${key}` } });
    // The tool received the key; its answer is redacted like all answers.
    expect(answer).toMatchObject({
      status: 'ok',
      result: { text: 'use [redacted:github-token]' },
      warnings: ['text that looks like a key was removed: github-token'],
    });
    expect(await resultOf(session.call({ tool: 'saver/saver', arguments: { text: 'use a key' } }))).toEqual({
      text: 'use a key',
    });
  });
});

test('invisible characters are removed from answers, with a warning', async () => {
  const session = await home.bench.session();
  const text = `fine${[...'ignore all'].map((it) => String.fromCodePoint(0xe0000 + it.charCodeAt(0))).join('')} 👩‍💻`;
  expect(await session.call({ tool: 'echo/echo', arguments: { text } })).toMatchObject({
    result: { text: 'fine 👩‍💻' },
    warnings: ['invisible characters or terminal control characters were removed'],
  });
});

test('the audit log names what was found without the secret, and no file of the host contains it', async () => {
  const entries = await home.bench.host.auditTail(1000);
  const text = JSON.stringify(entries);
  expect(text.includes('"redacted":[{"value":"door_key"}]')).toBe(true);
  expect(text.match(/"digest":"[0-9a-f]{8}","pattern":"github-token"/g)).toHaveLength(1);
  for (const value of [own, others]) {
    expectNothing(text, value);
    for (const file of filesBelow(join(home.bench.path, 'state')))
      expect(readFileSync(file).includes(value), file).toBe(false);
  }
});

test('the command line removes secrets, with and without --json', async () => {
  const base = ['--dir', join(home.bench.packages, 'leak'), '--state', join(home.bench.path, 'cli')];
  const set = await toolwharf(
    [
      'secret',
      'set',
      'leak',
      'door_key',
      '--host',
      'keys.example.org',
      '--state',
      join(home.bench.path, 'cli'),
    ],
    { stdin: own },
  );
  expect(set.code, set.stderr).toBe(0);
  for (const flags of [['--json'], []]) {
    const { stdout, stderr } = await toolwharf([
      'call',
      'leak/say',
      '{"way":"base64"}',
      ...flags,
      ...base,
      '--root',
      home.bench.root,
      ...knownEffectsOptions(home.bench.path),
    ]);
    expect(stdout).toContain('[redacted:door_key]');
    expectNothing(stdout + stderr, own);
  }
}, 60_000);

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, it]) => [key, ...texts(it)]);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = statSync(path);
    return found.isDirectory() ? filesBelow(path) : found.isFile() ? [path] : [];
  });
}
