// An MCP server over stdio, written by hand: one JSON-RPC message per line, no dependencies.
import { createInterface } from 'node:readline';
import { CalendarError, calls, tools } from './tools.mjs';

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: versions.includes(protocolVersion) ? protocolVersion : versions[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'date-desk', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: input = {} }) => callTool(name, input),
};

function callTool(name, input) {
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  if (call === undefined) throw rpcError(-32602, `no tool named ${JSON.stringify(name)}`);
  try {
    const structuredContent = call(input);
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  } catch (error) {
    if (!(error instanceof CalendarError)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

function rpcError(code, message) {
  return Object.assign(new Error(message), { code });
}

function answer(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'this line is not JSON' } };
  }
  const { id, method, params = {} } = request ?? {};
  // A message without an id is a notification and gets no response.
  if (id === undefined) return undefined;
  try {
    if (!Object.hasOwn(methods, method)) throw rpcError(-32601, `unknown method ${JSON.stringify(method)}`);
    return { jsonrpc: '2.0', id, result: methods[method](params) };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: error.code ?? -32603, message: error.message } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const message = answer(line);
  if (message !== undefined) process.stdout.write(`${JSON.stringify(message)}\n`);
}
