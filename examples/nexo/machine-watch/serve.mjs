// Runs on the monitored machine. Connects to NATS, announces itself, and answers JSON-RPC requests on
// ext.machine-watch.rpc. The host never starts this program; it only sends requests.
import { connect } from './nats.mjs';
import { answer } from './tools.mjs';

const id = 'machine-watch';
const prefix = 'ext';
const heartbeatMs = 15_000;

// Exits when the connection is lost, so that a service manager can restart it.
const bus = await connect(process.env.NATS_URL ?? 'nats://127.0.0.1:4222', () => process.exit(1));

bus.subscribe(`${prefix}.${id}.rpc`, (payload, reply) => {
  if (reply !== undefined) bus.publish(reply, JSON.stringify(respond(payload)));
});
const card = JSON.stringify({ id, version: '1.0.0', subject_prefix: prefix });
bus.publish(`${prefix}.registry.announce`, card);
const beat = setInterval(() => bus.publish(`${prefix}.registry.heartbeat.${id}`, card), heartbeatMs);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

async function stop() {
  clearInterval(beat);
  bus.publish(`${prefix}.registry.shutdown.${id}`, card);
  await bus.flush();
  process.exit(0);
}

function respond(payload) {
  let request;
  try {
    request = JSON.parse(payload);
    // Some hosts send the request as a JSON string inside JSON.
    if (typeof request === 'string') request = JSON.parse(request);
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the payload is not JSON' } };
  }
  const { id: call = null, method, params } = request ?? {};
  try {
    return { jsonrpc: '2.0', id: call, result: answer(method, params ?? {}) };
  } catch (error) {
    return { jsonrpc: '2.0', id: call, error: { code: error.code ?? -32603, message: error.message } };
  }
}
