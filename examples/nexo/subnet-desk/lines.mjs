// JSON-RPC 2.0, one object per line, for both programs of this package.
import { createInterface } from 'node:readline';

export class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Answers requests until the input ends or a shutdown request arrives. */
export async function serveLines(answer) {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    let request;
    try {
      request = JSON.parse(line);
    } catch {
      write({ id: null, error: { code: -32700, message: 'this line is not JSON' } });
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
