// Streams of records, binary answers and errors of tools, as the official client of both eras gets them.
import type { Client, Progress } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import { answerPackage, png, toolError } from '../../../support/answer-package.js';
import { type Era, frontFor, officialClient } from '../../../support/mcp-wire.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

let bench: Workbench;
let session: Session;
const rows = [
  { n: 1, next: { n: 2, next: null } },
  { n: 2, next: { n: 3, next: null } },
  { n: 3, next: null },
];
const secret = 'hidden-value-of-this-test';

beforeAll(async () => {
  bench = await workbench(answerPackage);
  await bench.host.secrets.set({
    package: 'answers',
    slot: 'TOKEN',
    value: secret,
    audience: { kind: 'manifest' },
    by: 'operator',
  });
  session = await bench.session();
});

afterAll(() => bench.close());

describe.each<Era>(['2025', '2026'])('the official client of %s', (era) => {
  let client: Client;

  beforeAll(async () => {
    client = await officialClient(frontFor({ host: bench.host, session }), era);
    // The client compares structured content with the schemas that it has listed.
    await client.listTools();
  });

  afterAll(() => client.close());

  const call = (name: string, onprogress?: (it: Progress) => void) =>
    client.callTool({ name, arguments: {} }, onprogress === undefined ? {} : { onprogress });

  test('a stream of records fits the schema that is published for it', async () => {
    const result = await call('answers_records');
    expect(result.isError).toBeFalsy();
    expect(result.structuredContent).toEqual(era === '2025' ? { result: rows } : rows);
    const { tools } = await client.listTools();
    const schema = tools.find((it) => it.name === 'answers_records')?.outputSchema as Record<string, unknown>;
    expect(schema.type).toBe(era === '2025' ? 'object' : 'array');
  });

  test('records arrive as progress while the tool runs', async () => {
    const steps: Progress[] = [];
    await call('answers_records', (it) => steps.push(it));
    expect(steps.map((it) => JSON.parse(it.message ?? ''))).toEqual(rows);
    expect(steps.map((it) => it.progress)).toEqual([1, 2, 3]);
  });

  test('a record that does not fit is named', async () => {
    const result = await call('answers_wrong');
    expect(result.isError).toBe(true);
    expect(result.content).toMatchObject([{ text: expect.stringContaining('record 2') }]);
  });

  test('an image is an image, other bytes are a resource with their type', async () => {
    expect((await call('answers_image')).content).toEqual([
      { type: 'text', text: `binary content: image/png, ${png.length} bytes` },
      { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
    ]);
    expect((await call('answers_bytes')).content).toEqual([
      { type: 'text', text: 'binary content: application/octet-stream, 256 bytes' },
      {
        type: 'resource',
        resource: {
          uri: expect.stringMatching(/^toolwharf:\/\/call\/./),
          mimeType: 'application/octet-stream',
          blob: Buffer.from(Array.from({ length: 256 }, (_, index) => index)).toString('base64'),
        },
      },
    ]);
  });

  test('an error of the tool keeps its code and details', async () => {
    const result = await call('answers_fail');
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: toolError },
      _meta: { 'toolwharf/code': 'tool_failed', 'toolwharf/tool-error': toolError },
      content: [{ text: expect.stringMatching(/no_such_row: there is no row 7[\s\S]*"nearest":\[6,8\]/) }],
    });
  });
});

describe('the library', () => {
  test('marks a binary answer, and keeps the error of a tool apart from the code of the host', async () => {
    expect(await session.call({ tool: 'answers/image', arguments: {} })).toMatchObject({
      result: png.toString('base64'),
      binary: { encoding: 'base64', mimeType: 'image/png', bytes: png.length },
    });
    expect(await session.call({ tool: 'answers/fail', arguments: {} })).toMatchObject({
      status: 'error',
      error: { code: 'tool_failed', toolError },
    });
  });

  test('withholds a binary answer that contains a secret', async () => {
    const answer = await session.call({ tool: 'answers/leak', arguments: {} });
    expect(answer).toMatchObject({
      error: { code: 'tool_bad_output', message: expect.stringContaining('TOKEN') },
    });
    const text = JSON.stringify(answer);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(4, 20));
  });
});
