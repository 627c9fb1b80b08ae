// Both programs of this package speak JSON-RPC 2.0, one object a line.
import { createInterface } from 'node:readline';

export class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Answers every request until the input ends or `answer` has answered a shutdown. */
export async function serveLines(answer) {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    let request;
    try {
      request = JSON.parse(line);
    } catch {
      write({ id: null, error: { code: -32700, message: 'this line is no JSON' } });
      continue;
    }
    const { id, method, params } = request ?? {};
    let outcome;
    try {
      outcome = { result: answer(method, params ?? {}) };
    } catch (error) {
      outcome = { error: { code: error.code ?? -32603, message: error.message } };
    }
    if (id !== undefined) write({ id, ...outcome });
    if (method === 'shutdown') break;
  }
  process.exit(0);
}

function write(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
