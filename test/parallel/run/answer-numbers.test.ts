// Numbers that a double cannot hold, in answers of HTTP services and MCP servers: rejected, never rounded.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { serverPackage } from '../../support/server-package.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import {
  failureOf,
  inputOf,
  resultOf,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const exact = '9007199254740991';
const inexact = '9007199254740993';
let bench: Workbench;
let session: Session;
let service: LoopbackServer;

const number = inputOf({ number: { type: 'string' } }, ['number']);

beforeAll(async () => {
  service = await loopbackServer((request, response) => {
    const id = request.url?.split('/').pop();
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id":${id}}`);
  });
  bench = await workbench({
    'web/toolspace.json': toolspace({
      id: 'web',
      endpoint: `http://127.0.0.1:${service.port}/`,
      actions: [
        {
          name: 'read',
          invocation: { kind: 'http', method: 'GET', path: `/items/\${input.number}` },
          input: number,
          output: { format: 'json' },
        },
      ],
    }),
    ...serverPackage(
      'desk',
      `const inputSchema = ${JSON.stringify(number)};
const result = (id, text) => void process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + text + '}\\n');
on = {
  // The limits of 64-bit numbers are usual in schemas.
  'tools/list': (_, id) => result(id, '{"tools":[' + ['structured', 'text'].map((name) =>
    JSON.stringify({ name, description: 'Goes.', inputSchema }).replace('"type":"object"', '"type":"object","maxProperties":9223372036854775807')) + ']}'),
  'tools/call': ({ name, arguments: { number } }, id) => {
    const text = JSON.stringify({ type: 'text', text: '{"id":' + number + '}' });
    if (name === 'text') return result(id, '{"content":[' + text + ']}');
    return result(id, '{"content":[' + text + '],"structuredContent":{"id":' + number + '}}');
  },
};`,
    ),
  });
  session = await bench.session({ allow: [`net:127.0.0.1:${service.port}`] });
});

afterAll(async () => {
  await bench.close();
  await service.close();
});

const call = (tool: string, given: string) => session.call({ tool, arguments: { number: given } });

describe.each(['web/read', 'desk/structured'])('%s', (tool) => {
  test('an exact number arrives', async () => {
    expect(await resultOf(call(tool, exact))).toEqual({ id: Number(exact) });
  });

  test('a number that would be rounded is rejected, with its place', async () => {
    const failure = await failureOf(call(tool, inexact));
    expect(failure.code).toBe('tool_bad_output');
    expect(failure.message).toContain(`contains the number ${inexact} at /`);
    expect(failure.message).toContain('/id, which cannot be represented exactly');
    expect(failure.hint).toContain('as text');
  });
});

test('text of an MCP server keeps its digits: it is not read as a value then', async () => {
  expect(await resultOf(call('desk/text', exact))).toEqual({ id: Number(exact) });
  expect(await resultOf(call('desk/text', inexact))).toBe(`{"id":${inexact}}`);
});
