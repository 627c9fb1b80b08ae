import { foldedName, type StarterFile } from '../starter.js';
import { manifestName } from './claim.js';

/** A server in plain JavaScript with one tool, over standard input and output. */
export function starter(name: string): readonly StarterFile[] {
  const id = idOf(name);
  return [
    { path: manifestName, text: `${JSON.stringify(manifest(id), null, 2)}\n` },
    { path: 'server.mjs', text: program },
    { path: 'README.md', text: readme(id) },
  ];
}

function idOf(name: string): string {
  const id = foldedName(name)
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 48)
    .replace(/[-_]+$/, '');
  return id === '' ? 'server' : id;
}

function manifest(id: string) {
  return {
    schema: 'toolwharf/mcp@1',
    name: id,
    version: '0.1.0',
    description: 'Counts the characters, words and lines of a text.',
    command: 'node',
    args: ['server.mjs'],
    network: 'none',
  };
}

const program = `// JSON-RPC 2.0, one JSON object per line. Standard output is for responses; write log messages to standard error.
const tools = [
  {
    name: 'count_words',
    description: 'Counts the characters, words and lines of a text.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The text to count.' } },
      required: ['text'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
];

function countWords({ text }) {
  return {
    characters: [...text].length,
    words: text.split(/\\s+/u).filter((word) => word !== '').length,
    lines: text === '' ? 0 : text.split('\\n').length,
  };
}

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'count-words', version: '0.1.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call': {
      if (params.name !== 'count_words') throw Object.assign(new Error('unknown tool'), { code: -32602 });
      const counted = countWords(params.arguments ?? {});
      return { content: [{ type: 'text', text: JSON.stringify(counted) }], structuredContent: counted };
    }
    default:
      throw Object.assign(new Error(\`unknown method \${method}\`), { code: -32601 });
  }
}

function handle(line) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  let outcome;
  try {
    outcome = { result: answer(method, params) };
  } catch (error) {
    outcome = { error: { code: error.code ?? -32603, message: error.message } };
  }
  process.stdout.write(\`\${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\\n\`);
}

let buffer = '';
process.stdin.setEncoding('utf8');
for await (const chunk of process.stdin) {
  const lines = (buffer + chunk).split('\\n');
  buffer = lines.pop();
  for (const line of lines) if (line.trim() !== '') handle(line);
}
`;

function readme(id: string): string {
  return `# ${id}

An MCP server with one tool, \`count_words\`. \`${manifestName}\` says how it is started and what it may use;
\`server.mjs\` reads one request per line and answers it.

Check the manifest, then call the tool:

    toolwharf validate .
    toolwharf call . count_words '{"text": "one two three"}'

The server may reach no host, because the manifest says \`"network": "none"\`. It sees no files of yours, except its own
and a private folder, which is its home folder.
`;
}
