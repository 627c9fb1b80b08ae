// Packages with tools for the pages of the console: arguments of every kind, answers of every kind, and hostile texts.
import type { JsonObject } from '../../src/index.js';
import { bareServer } from './mcp-upstream.js';
import { scriptText } from './script-texts.js';
import { type Files, pythonTool, talos } from './workbench.js';

/** A red dot of 1 × 1 pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
/** A tenth of a second of silence. */
const wav = () => {
  const samples = 800;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples, 40);
  return Buffer.concat([header, Buffer.alloc(samples, 128)]).toString('base64');
};

const everything = {
  type: 'object',
  required: ['to', 'size', 'stay'],
  additionalProperties: false,
  properties: {
    to: { type: 'string', format: 'email', description: 'Who gets the message.' },
    note: { type: 'string', description: 'Free text, also with more lines.' },
    size: { type: 'string', enum: ['small', 'large'], description: 'How much.' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    ratio: { type: ['number', 'null'] },
    day: { type: 'string', format: 'date' },
    urgent: { type: 'boolean' },
    kind: { const: 'trip' },
    stay: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', title: 'City of the stay' }, nights: { type: 'integer' } },
      additionalProperties: false,
    },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 4 },
    rooms: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, beds: { type: 'integer' } },
      },
    },
    pay: {
      oneOf: [
        {
          title: 'By card',
          type: 'object',
          required: ['by', 'card'],
          properties: { by: { const: 'card' }, card: { type: 'string' } },
        },
        {
          title: 'By invoice',
          type: 'object',
          required: ['by', 'address'],
          properties: { by: { const: 'invoice' }, address: { type: 'string' } },
        },
      ],
    },
    labels: { type: 'object', additionalProperties: { type: 'integer' } },
    anything: { description: 'Whatever you like.' },
  },
};

const hostileSchema = {
  type: 'object',
  properties: {
    [scriptText]: { type: 'string', title: scriptText, description: scriptText },
    pick: { type: 'string', title: scriptText, enum: [scriptText, 'fine'], description: scriptText },
    either: {
      oneOf: [
        { title: scriptText, type: 'object', properties: { [scriptText]: { const: scriptText } } },
        { title: 'number', type: 'number', default: 1 },
      ],
    },
    list: { type: 'array', title: scriptText, items: { type: 'string', pattern: '^<script>' } },
  },
};

const describedAs = (name: string, description: string, parameters: JsonObject) => ({
  name,
  description,
  parameters,
});

const code = `
export const handlers = {
  book(args) { return { booked: args }; },
  rows() { return [1, 2, 3].map((id) => ({ id, name: 'Row ' + id, url: 'https://example.com/' + id })); },
  many() { return { items: Array.from({ length: 3000 }, (_, id) => ({ id, parts: [id, { deep: true }] })) }; },
  empty() { return 'done'; },
  hostile(args) { return { [${JSON.stringify(scriptText)}]: [${JSON.stringify(scriptText)}, args], rows: ${JSON.stringify(scriptText)}, link: 'javascript:alert(4)//x' }; },
  hostileRows() { return [1, 2].map((id) => ({ id, [${JSON.stringify(scriptText)}]: ${JSON.stringify(scriptText)} })); },
  hostileFailure() { throw new Error(${JSON.stringify(scriptText)}); },
};
`;

const server = bareServer(`
const later = (ms, work) => setTimeout(work, ms);
const text = (it) => ({ content: [{ type: 'text', text: it }] });
const script = ${JSON.stringify(scriptText)};
const tools = [
  { name: 'media', description: 'Answers with an image, a sound, a link and a resource.', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
  { name: 'slow', title: 'Slow work', description: 'Works for some seconds and tells how far it is.', inputSchema: { type: 'object', properties: { seconds: { type: 'integer', default: 2 } } }, annotations: { readOnlyHint: true } },
  { name: 'refuses', description: 'Reports an error in its own words.', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } },
  { name: 'writes', description: script, title: script, inputSchema: { type: 'object', properties: { text: { type: 'string', title: script, description: script } } } },
];
on = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'kinds', version: '1' } }),
  'logging/setLevel': () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args = {}, _meta = {} }, id) => {
    if (name === 'media') return { content: [
      { type: 'text', text: 'Look at this.' },
      { type: 'image', data: '${png}', mimeType: 'image/png' },
      { type: 'audio', data: '${wav()}', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'https://example.com/report', name: 'The report' },
      { type: 'resource', resource: { uri: 'note://1', mimeType: 'text/plain', text: 'A note.' } },
    ] };
    if (name === 'refuses') return { ...text('The warehouse is closed until Monday.'), isError: true };
    if (name === 'writes') return { content: [
      { type: 'text', text: script },
      { type: 'resource_link', uri: 'javascript:alert(1)', name: script, description: script },
      { type: 'resource', resource: { uri: script, text: script } },
      { type: 'image', data: script, mimeType: script },
      { type: script, text: script },
    ] };
    const seconds = args.seconds ?? 2;
    const token = _meta.progressToken;
    for (let at = 1; at <= seconds * 2; at++) later(at * 500, () => {
      if (token !== undefined) write({ method: 'notifications/progress', params: { progressToken: token, progress: at, total: seconds * 2, message: 'step ' + at } });
      write({ method: 'notifications/message', params: { level: 'info', data: 'log line ' + at } });
    });
    later(seconds * 500 * 2 + 100, () => write({ id, result: text('worked for ' + seconds + ' s') }));
    return undefined;
  },
};
`);

export const tryPackages: Files = {
  'leak.py': pythonTool({
    name: 'leak',
    body: [
      `key = "gh" + "p_" + "".join(["A1b2C3d4E5f6", "G7h8I9j0K1l2", "M3n4O5p6Q7r8"])`,
      'return {"items": [{"id": 1, "note": key}], "state": "fine"}',
    ],
  }),
  ...talos({
    id: 'lab',
    code,
    functions: [],
    rest: {
      description: 'Tools for every kind of argument and answer.',
      functions: [
        describedAs('book', 'Book a trip. It answers with what it was given.', everything),
        ...['rows', 'many', 'empty'].map((it) =>
          describedAs(it, `Answers with ${it}.`, { type: 'object', properties: {} }),
        ),
        describedAs('hostile', scriptText, hostileSchema),
        describedAs('hostileRows', scriptText, { type: 'object', properties: {} }),
        describedAs('hostileFailure', scriptText, { type: 'object', properties: {} }),
      ],
    },
  }),
  'kinds/toolwharf-mcp.json': JSON.stringify({
    schema: 'toolwharf/mcp@1',
    name: 'kinds',
    version: '1.0.0',
    description: 'Answers of every kind.',
    command: 'node',
    args: ['server.mjs'],
    network: 'none',
  }),
  'kinds/server.mjs': server,
};

/** As many tools as a large company may have: five servers with 2,000 tools each. */
export const manyTools: Files = Object.fromEntries(
  [1, 2, 3, 4, 5].flatMap((at) => [
    [
      `crowd${at}/toolwharf-mcp.json`,
      JSON.stringify({
        schema: 'toolwharf/mcp@1',
        name: `crowd${at}`,
        version: '1.0.0',
        description: 'Many tools.',
        command: 'node',
        args: ['server.mjs'],
        network: 'none',
      }),
    ],
    [
      `crowd${at}/server.mjs`,
      bareServer(`
on = { 'tools/list': () => ({ tools: Array.from({ length: 2000 }, (_, id) => ({
  name: 'tool_' + String(id).padStart(4, '0'),
  description: 'Does the work of number ' + id + '.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
})) }) };`),
    ],
  ]),
);
