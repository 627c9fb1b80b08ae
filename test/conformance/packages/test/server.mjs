// An MCP server over stdio with what the conformance suite asks for under these names, and that no manifest can describe.
import { createInterface } from 'node:readline';

/** One red dot, and a moment of silence. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const text = (words) => ({ type: 'text', text: words });
const image = { type: 'image', data: dot, mimeType: 'image/png' };
const embedded = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });
const titled = (kind) => [1, 2, 3].map((it) => ({ const: `value${it}`, title: `${kind} ${it}` }));

const forms = {
  elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Choice') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
};

const calls = {
  image_content: () => [image],
  reconnection: async () => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return [text('Still here.')];
  },
  audio_content: () => [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
  embedded_resource: () => [
    embedded('test://embedded-resource', 'text/plain', 'A resource within an answer.'),
  ],
  multiple_content_types: () => [
    text('Several kinds of content:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};
for (const [name, properties] of Object.entries(forms)) {
  calls[name] = async () => {
    const requestedSchema = { type: 'object', properties, required: [] };
    const { action, content = {} } = await ask({ message: 'Please look at this form', requestedSchema });
    return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)];
  };
}

const said = (...contents) => ({ messages: contents.map((content) => ({ role: 'user', content })) });
const prompts = {
  simple_prompt: { get: () => said(text('A prompt without arguments.')) },
  prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => said(text(`First ${arg1}, then ${arg2}.`)),
  },
  prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri }) =>
      said(embedded(resourceUri, 'text/plain', 'What stands there.'), text('Look at the resource above.')),
  },
  prompt_with_image: { get: () => said(image, text('Look at the image above.')) },
};

const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'A text that never changes.' },
  'test://static-binary': { mimeType: 'image/png', blob: dot },
};

function read(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found =
    id === undefined ? resources[uri] : { mimeType: 'application/json', text: JSON.stringify({ id }) };
  if (found === undefined) throw Object.assign(new Error(`there is no resource ${uri}`), { code: -32002 });
  return { contents: [{ uri, ...found }] };
}

const noInput = { type: 'object', properties: {}, additionalProperties: false };
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: 'conformance', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.keys(calls).map((name) => ({
      name,
      description: `Answers with ${name.replaceAll('_', ' ')}.`,
      inputSchema: noInput,
    })),
  }),
  'tools/call': async ({ name }) => ({ content: await calls[name]() }),
  'prompts/list': () => ({
    prompts: Object.entries(prompts).map(([name, { arguments: names = [] }]) => ({
      name,
      description: `Says ${name.replaceAll('_', ' ')}.`,
      arguments: names.map((it) => ({ name: it, description: 'Any text.', required: true })),
    })),
  }),
  'prompts/get': ({ name, arguments: given = {} }) => prompts[name].get(given),
  'resources/list': () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({
      uri,
      name: uri.slice(7),
      mimeType,
    })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'data', mimeType: 'application/json' },
    ],
  }),
  'resources/read': ({ uri }) => read(uri),
};

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const asked = new Map();
let questions = 0;
const ask = (params) =>
  new Promise((resolve) => {
    const id = `q${++questions}`;
    asked.set(id, resolve);
    send({ id, method: 'elicitation/create', params });
  });

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params = {}, result } = JSON.parse(line);
  if (method === undefined) {
    asked.get(id)?.(result ?? { action: 'decline' });
    asked.delete(id);
  } else if (id !== undefined) {
    try {
      const handler = methods[method];
      if (handler === undefined) throw Object.assign(new Error(`no ${method} here`), { code: -32601 });
      send({ id, result: await handler(params) });
    } catch (error) {
      send({ id, error: { code: error.code ?? -32603, message: error.message } });
    }
  }
});
