// A tiny MCP server over stdio: one tool that says what it is told, and as many idle ones as the first word asks for.
const idle = Number(process.argv[2] ?? 0);
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = [
  { name: 'say', description: 'Say a text.', inputSchema: input, annotations: { readOnlyHint: true } },
  ...Array.from({ length: idle }, (_, index) => ({
    name: `say_${index}`,
    description: `Say a text, way number ${index}.`,
    inputSchema: input,
    annotations: { readOnlyHint: true },
  })),
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: params.arguments.text }] }),
};

function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const known = answers[method];
  const rest = known ? { result: known(params) } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`);
}

let pending = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (pending + chunk).split('\n');
  pending = lines.pop();
  for (const line of lines) if (line !== '') answer(line);
});
process.stdin.on('end', () => process.exit(0));
