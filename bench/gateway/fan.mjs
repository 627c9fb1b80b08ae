// The floor with many children: starts them all, asks each for its tools and serves the lists as one. It calls nothing.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const [port, count, command, ...args] = process.argv.slice(2);

/** The tools of one child, once it has told them. */
function toolsOf(prefix) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.once('exit', () => process.exit(1));
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } });
  return new Promise((resolve) => {
    let pending = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (chunk) => {
      const lines = (pending + chunk).split('\n');
      pending = lines.pop();
      for (const { id, result } of lines.map((it) => JSON.parse(it))) {
        if (id === 1) send({ id: 2, method: 'tools/list', params: {} });
        else resolve(result.tools.map((it) => ({ ...it, name: `${prefix}_${it.name}` })));
      }
    });
  });
}

const lists = Promise.all(Array.from({ length: Number(count) }, (_, index) => toolsOf(`echo${index}`)));
const server = createServer(async (request, response) => {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += chunk;
  const { id, method } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const result = method === 'tools/list' ? { tools: (await lists).flat() } : {};
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
server.listen(Number(port), '127.0.0.1');
