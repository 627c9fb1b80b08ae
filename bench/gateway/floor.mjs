// The least a gateway can do: bytes in front, one stdio child behind. No validation, no authorization, no sessions, no log.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const [front, port, ...command] = process.argv.slice(2);
const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
child.once('exit', () => process.exit(1));

if (front === 'stdio') {
  process.stdin.pipe(child.stdin);
  child.stdout.pipe(process.stdout);
  process.stdin.once('end', () => process.exit(0));
} else {
  const waiting = new Map();
  let last = 0;
  let pending = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      const { id, response } = waiting.get(message.id);
      waiting.delete(message.id);
      message.id = id;
      const body = JSON.stringify(message);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    }
  });
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const message = JSON.parse(body);
      if (message.id === undefined) response.writeHead(202).end();
      else {
        // Clients choose the same ids, so each gets one of ours on the way to the child.
        last += 1;
        waiting.set(last, { id: message.id, response });
        message.id = last;
      }
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
  });
  server.listen(Number(port), '127.0.0.1');
}
