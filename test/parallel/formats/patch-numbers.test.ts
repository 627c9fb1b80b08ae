// Numbers reach a tool and come back exactly, or are rejected with their place. They are never changed.

import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost, type Host, type Session } from '../../../src/index.js';
import { readBodyJson } from '../../../src/serve/http/request-body.js';
import { parseMessages } from '../../../src/serve/mcp/json-rpc.js';
import { patchTool, temporaryFolder, toolwharf } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let session: Session;

beforeAll(async () => {
  folder = temporaryFolder({
    'echo.py': patchTool({ name: 'echo', body: '    return {"text": repr(text), "same": text}' }).replace(
      'type: string',
      'type: number',
    ),
    'answer.py': patchTool({ name: 'answer', body: '    return {"list": [json.loads(text)]}' }),
  });
  host = await createHost({ state: join(folder.path, 'state'), warm: false });
  session = await host.session({ directories: [folder.path] });
});
afterAll(async () => {
  await host.close();
  folder.remove();
});

const changed = ['9007199254740993', '-9007199254740993', '12345678901234567890', '1e400'];

describe('an answer', () => {
  test.each(['9007199254740991', '9007199254740992', '0.1', '1e+300', '"9007199254740993"'])(
    'with %s is passed on as it is',
    async (number) => {
      const answer = await session.call({ tool: 'answer', arguments: { text: number } });
      expect(answer).toMatchObject({ status: 'ok', result: { list: [JSON.parse(number)] } });
    },
  );

  test.each(changed.slice(0, 3))('with %s is rejected, and the error names the place', async (number) => {
    const answer = await session.call({ tool: 'answer', arguments: { text: number } });
    expect(answer).toMatchObject({
      status: 'error',
      error: { code: 'tool_bad_output', message: expect.stringContaining(`${number} at /list/0`) },
    });
  });
});

describe('an argument', () => {
  const call = (number: string) =>
    toolwharf(
      [
        'call',
        join(folder.path, 'echo.py'),
        `{"text":${number}}`,
        '--json',
        '--state',
        join(folder.path, 'own'),
      ],
      { cwd: folder.path },
    );

  test('on the command line reaches Python unchanged', async () => {
    const done = await call('9007199254740991');
    expect(done.stdout).toContain('{"text":"9007199254740991","same":9007199254740991}');
  }, 30_000);

  test('on the command line is rejected if it would change', async () => {
    const done = await call('9007199254740993');
    expect(done.code).not.toBe(0);
    expect(`${done.stdout}${done.stderr}`).toContain('9007199254740993 at /text');
  }, 30_000);

  test.each(changed)('of an MCP request is rejected: %s', (number) => {
    const params = `{"name":"echo","arguments":{"text":${number}}}`;
    const { messages } = parseMessages(
      `{"method":"tools/call","params":${params},"jsonrpc":"2.0","id":7}`,
      false,
    );
    const [first] = messages as unknown as [{ error: { text: string } }];
    expect(JSON.parse(first.error.text)).toMatchObject({
      id: 7,
      error: { code: -32602, message: expect.stringContaining(`${number} at /params/arguments/text`) },
    });
  });

  test.each(changed)('of an HTTP request is rejected: %s', async (number) => {
    const body = Readable.from([Buffer.from(`{"tool":"echo","arguments":{"text":${number}}}`)]);
    const request = Object.assign(body, { headers: { 'content-type': 'application/json' } });
    const room = { maxBytes: 1000, share: { take: () => undefined, give: () => {} } } as never;
    await expect(readBodyJson(request as unknown as IncomingMessage, room)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(`${number} at /arguments/text`),
    });
  });
});
