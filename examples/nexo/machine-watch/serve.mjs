// Runs on the monitored machine. Connects to NATS, announces itself, and answers JSON-RPC requests on
// ext.machine-watch.rpc. The host never starts this program; it only sends requests.
import { randomUUID } from 'node:crypto';
import { connect } from './nats.mjs';
import { answer } from './tools.mjs';

const id = 'machine-watch';
const prefix = 'ext';
const heartbeatMs = 15_000;

// Exits when the connection is lost, so that a service manager can restart it.
const bus = await connect(process.env.NATS_URL ?? 'nats://127.0.0.1:4222', () => process.exit(1));

bus.subscribe(`${prefix}.${id}.rpc`, (message, reply) => {
  if (reply !== undefined) bus.publish(reply, respond(message, reply));
});
const card = wrap(`${prefix}.registry.announce`, { id, version: '1.0.0', subject_prefix: prefix });
bus.publish(`${prefix}.registry.announce`, card);
const beat = setInterval(() => bus.publish(`${prefix}.registry.heartbeat.${id}`, card), heartbeatMs);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

async function stop() {
  clearInterval(beat);
  bus.publish(`${prefix}.registry.shutdown.${id}`, card);
  await bus.flush();
  process.exit(0);
}

/** The envelope of a message on NATS. */
function wrap(topic, payload) {
  const timestamp = new Date().toISOString();
  return JSON.stringify({ id: randomUUID(), timestamp, topic, source: id, reply_to: null, payload });
}

/** Hosts send JSON-RPC as a text in an envelope; older ones send it bare. The answer has the form of the request. */
function respond(message, reply) {
  let request;
  let isWrapped = false;
  try {
    request = JSON.parse(message);
    isWrapped = typeof request?.topic === 'string' && request.payload !== undefined;
    if (isWrapped) request = request.payload;
    if (typeof request === 'string') request = JSON.parse(request);
  } catch {
    request = undefined;
  }
  const answer = JSON.stringify(answerTo(request));
  return isWrapped ? wrap(reply, answer) : answer;
}

function answerTo(request) {
  if (request === undefined)
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the payload is not JSON' } };
  const { id: call = null, method, params } = request ?? {};
  try {
    return { jsonrpc: '2.0', id: call, result: answer(method, params ?? {}) };
  } catch (error) {
    return { jsonrpc: '2.0', id: call, error: { code: error.code ?? -32603, message: error.message } };
  }
}
