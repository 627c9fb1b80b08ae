// A gateway out of the official SDK as it comes: its client towards one stdio child, its server in front. Over HTTP it
// keeps a session, which costs it less than a server for each request.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [front, port, command, ...args] = process.argv.slice(2);
const upstream = new Client(
  { name: 'gateway', version: '1.0.0' },
  { versionNegotiation: { mode: 'legacy' } },
);
await upstream.connect(new StdioClientTransport({ command, args }));

function serverOf() {
  const server = new Server({ name: 'gateway', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => upstream.listTools(params));
  server.setRequestHandler('tools/call', ({ params }) => upstream.callTool(params));
  return server;
}

if (front === 'stdio') {
  serveStdio(serverOf);
} else {
  const sessions = new Map();
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await serverOf().connect(transport);
    return transport;
  };
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const transport = sessions.get(incoming.headers['mcp-session-id']) ?? (await open());
    const answer = await transport.handleRequest(
      new Request(`http://127.0.0.1:${port}${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(Number(port), '127.0.0.1');
}
