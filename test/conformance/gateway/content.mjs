// What the conformance server answers with.

/** One red dot, and a moment of silence. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const image = { type: 'image', data: dot, mimeType: 'image/png' };
export const audio = { type: 'audio', data: silence, mimeType: 'audio/wav' };
export const embedded = (uri, mimeType, text) => ({ type: 'resource', resource: { uri, mimeType, text } });
export const said = (...content) => ({ content });
export const text = (words, more = {}) => ({ ...said({ type: 'text', text: words }), ...more });
export const messages = (...contents) => ({
  messages: contents.map((content) => ({ role: 'user', content })),
});

export const prompts = {
  simple_prompt: { get: () => messages({ type: 'text', text: 'A prompt without arguments.' }) },
  prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => messages({ type: 'text', text: `First ${arg1}, then ${arg2}.` }),
  },
  prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri }) =>
      messages(embedded(resourceUri, 'text/plain', 'What stands there.'), {
        type: 'text',
        text: 'Look at the resource above.',
      }),
  },
  prompt_with_image: { get: () => messages(image, { type: 'text', text: 'Look at the image above.' }) },
};

const contents = {
  'test://static-text': { mimeType: 'text/plain', text: 'A text that never changes.' },
  'test://static-binary': { mimeType: 'image/png', blob: dot },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Somebody may watch this.' },
};

export const resources = Object.entries(contents).map(([uri, { mimeType }]) => ({
  uri,
  name: uri.slice(7),
  mimeType,
}));
export const templates = [
  { uriTemplate: 'test://template/{id}/data', name: 'data', mimeType: 'application/json' },
];

export function read(uri) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found =
    id === undefined ? contents[uri] : { mimeType: 'application/json', text: JSON.stringify({ id }) };
  if (found === undefined)
    throw Object.assign(new Error(`there is no resource ${uri}`), { code: -32_602, data: { uri } });
  return { contents: [{ uri, ...found }] };
}
