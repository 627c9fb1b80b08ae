import { foldedName, type StarterFile } from '../starter.js';
import { reservedIds } from './rules.js';

/** An extension in plain JavaScript with one tool, over standard input and output. */
export function starter(name: string): readonly StarterFile[] {
  const id = idOf(name);
  return [
    { path: 'plugin.toml', text: manifest(id) },
    { path: 'extension.mjs', text: program },
    { path: 'README.md', text: readme(id) },
  ];
}

function idOf(name: string): string {
  const id = foldedName(name)
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 48)
    .replace(/[-_]+$/, '');
  if (id === '') return 'extension';
  return reservedIds.includes(id) ? `${id}-extension` : id;
}

function manifest(id: string): string {
  return `[plugin]
id = "${id}"
version = "0.1.0"
name = "${id.charAt(0).toUpperCase()}${id.slice(1).replace(/[-_]+/g, ' ')}"
description = "Counts the characters, words and lines of a text."

[capabilities]
tools = ["count_words"]

[transport]
type = "stdio"
command = "node"
args = ["extension.mjs"]

[requires]
bins = ["node"]
`;
}

const program = `// JSON-RPC 2.0, one JSON object per line. Standard output is for responses; write log messages to standard error.
const tools = [
  {
    name: 'count_words',
    description: 'Counts the characters, words and lines of a text.',
    input_schema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The text to count.' } },
      required: ['text'],
      additionalProperties: false,
    },
  },
];

function countWords({ text }) {
  if (typeof text !== 'string') throw new TypeError('"text" must be a string');
  return {
    characters: [...text].length,
    words: text.split(/\\s+/u).filter((word) => word !== '').length,
    lines: text === '' ? 0 : text.split('\\n').length,
  };
}

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return { server_version: '0.1.0', tools, hooks: [] };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      if (params.name === 'count_words') return countWords(params.arguments ?? {});
      throw Object.assign(new Error(\`no tool named \${params.name}\`), { code: -32601 });
    case 'shutdown':
      return {};
    default:
      throw Object.assign(new Error(\`unknown method \${method}\`), { code: -32601 });
  }
}

function handle(line) {
  const { id, method, params = {} } = JSON.parse(line);
  let outcome;
  try {
    outcome = { result: answer(method, params) };
  } catch (error) {
    outcome = { error: { code: error.code ?? -32602, message: error.message } };
  }
  if (id !== undefined) process.stdout.write(\`\${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\\n\`);
  return method !== 'shutdown';
}

let buffer = '';
process.stdin.setEncoding('utf8');
for await (const chunk of process.stdin) {
  const lines = (buffer + chunk).split('\\n');
  buffer = lines.pop();
  if (!lines.filter((line) => line.trim() !== '').every(handle)) break;
}
`;

function readme(id: string): string {
  return `# ${id}

An extension with one tool, \`count_words\`. \`plugin.toml\` describes the extension and how to start it;
\`extension.mjs\` reads one JSON-RPC request per line and answers it.

Check the manifest, then call the tool:

    toolwharf validate .
    toolwharf call . count_words '{"text": "one two three"}'

To add a tool, name it under \`[capabilities]\` and describe it in \`tools\`: the host offers only tools in both lists.
The extension sees only the environment variables that \`[requires] env\` names.
`;
}
