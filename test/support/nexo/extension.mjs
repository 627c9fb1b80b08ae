// The extension of the contract tests. The second argument says how it behaves, the first one which transport it uses.
import { writeSync } from 'node:fs';

const [carrier = 'stdio', behaviorJson = '{}', address = ''] = process.argv.slice(2);
const behavior = JSON.parse(behaviorJson);
const id = behavior.id ?? 'contract';
const names = [
  'echo',
  'fail',
  'wait',
  'never',
  'crash',
  'big',
  'noise',
  'told',
  'shape',
  'chatter',
  'mutter',
];
const tools = [...names, ...(behavior.extra ?? [])].map((name) => ({
  name,
  description: `does ${name}`,
  input_schema: { type: 'object', additionalProperties: true },
}));
const told = [];

function announcement() {
  return {
    server_version: behavior.version ?? '1.0.0',
    ...(behavior.listsLater === true ? {} : { tools: behavior.tools ?? tools }),
    hooks: behavior.hooks ?? ['before_message', 'after_tool_call'],
  };
}

/** Answers a request: calls `send` with raw text, any number of times. */
function receive(text, send) {
  const { id: asked, method, params = {} } = JSON.parse(text);
  told.push(method ?? 'an answer');
  if (method === undefined) return;
  const result = (value) => send(JSON.stringify({ jsonrpc: '2.0', id: asked, result: value }));
  const error = (code, message) =>
    send(JSON.stringify({ jsonrpc: '2.0', id: asked, error: { code, message } }));
  if (method === 'initialize') {
    if (behavior.handshake === 'hang') return;
    if (behavior.handshake === 'refuse') return error(-32000, 'not with this agent');
    if (behavior.handshake === 'crash') process.exit(3);
    if (behavior.handshake === 'odd') return result('hello');
    told.push(JSON.stringify(params));
    const noise =
      behavior.handshake === 'garbage' ? 'Traceback (most recent call last):\nno json at all {\n' : '';
    return send(`${noise}${JSON.stringify({ jsonrpc: '2.0', id: asked, result: announcement() })}`);
  }
  if (method === 'tools/list') return result({ tools });
  if (method === 'shutdown') {
    if (behavior.shutdown === 'ignore') return;
    result({});
    if (carrier === 'stdio') setImmediate(() => process.exit(0));
    return;
  }
  if (method.startsWith('hooks/')) return result({ abort: false, override: { seen: method, event: params } });
  const named = method === 'tools/call' && behavior.older !== true ? [params.name, params.arguments] : null;
  const direct =
    method.startsWith('tools/') && method !== 'tools/call' && behavior.older
      ? [method.slice(6), params]
      : null;
  const [tool, input] = named ?? direct ?? [];
  if (tool === undefined) return error(-32601, `unknown method ${method}`);
  act(tool, input, { asked, send, result, error });
}

function act(tool, input, { asked, send, result, error }) {
  switch (tool) {
    case 'echo':
      return result({ input });
    case 'fail':
      return error(input.code ?? -32000, input.message);
    case 'wait':
      return setTimeout(() => result(input.value), input.ms);
    case 'never':
      return;
    case 'crash':
      writeSync(2, 'the disk is on fire\n');
      return process.exit(input.code ?? 7);
    case 'big':
      return result('x'.repeat(input.bytes));
    case 'told':
      return result([...told]);
    case 'shape':
      return result(input.value);
    case 'chatter':
      return flood(input, () => result('done'));
    case 'mutter':
      process.stderr.write(`logged in with ${process.env[input.variable]}\n`);
      return result('muttered');
    case 'noise':
      return noise(input, { asked, send, result });
    default:
      return error(-32601, `there is no tool ${tool}`);
  }
}

function noise({ kind, value = 'right' }, { asked, send, result }) {
  const answer = JSON.stringify({ jsonrpc: '2.0', id: asked, result: value });
  const lines = {
    garbage: ['debug: not json', '{"half":', '[]', 'null', '42', answer],
    'wrong id': [JSON.stringify({ jsonrpc: '2.0', id: asked + 100_000, result: 'wrong' }), answer],
    'text id': [JSON.stringify({ jsonrpc: '2.0', id: String(asked), result: 'wrong' }), answer],
    'no id': [JSON.stringify({ jsonrpc: '2.0', result: 'wrong' }), answer],
    twice: [answer, JSON.stringify({ jsonrpc: '2.0', id: asked, result: 'wrong' })],
    notice: [JSON.stringify({ jsonrpc: '2.0', method: 'log', params: { text: 'hi' } }), answer],
    question: [JSON.stringify({ jsonrpc: '2.0', id: 'q1', method: 'host/secrets' }), answer],
    hollow: [JSON.stringify({ jsonrpc: '2.0', id: asked })],
    wrapped: [JSON.stringify(answer)],
    windows: [`${answer}\r`],
    empty: ['', '   ', answer],
    nested: [`{"jsonrpc":"2.0","id":${asked},"result":${'['.repeat(1e6)}${']'.repeat(1e6)}}`],
    flat: [`{"jsonrpc":"2.0","id":${asked},"result":[${'[],'.repeat(1e6)}0]}`],
    'nested, wrapped': [JSON.stringify(`{"id":${asked},"result":${'['.repeat(1e6)}${']'.repeat(1e6)}}`)],
  }[kind];
  if (lines === undefined) return result(`no such noise: ${kind}`);
  send(lines.join('\n'));
}

/** Writes the given number of bytes to standard output or standard error. */
function flood({ stream, bytes }, done) {
  const block = `${'chatter '.repeat(128)}\n`;
  let left = bytes;
  const out = stream === 'stderr' ? process.stderr : process.stdout;
  const more = () => {
    while (left > 0) {
      left -= block.length;
      if (!out.write(block)) return out.once('drain', more);
    }
    done();
  };
  more();
}

/** A message of the registry, as the broker of the original runtime writes it. */
function event(payload) {
  return JSON.stringify({
    id: crypto.randomUUID(),
    timestamp: new Date().toISOString(),
    topic: 'registry',
    source: id,
    session_id: null,
    payload,
  });
}

/** The JSON-RPC in a message on NATS, and how to write the answer; no text if the message has another form. */
function opened(raw, form) {
  const { payload, topic, reply_to: replyTo } = JSON.parse(raw);
  const isEnvelope = topic !== undefined;
  if (isEnvelope ? form === 'bare' : form === 'envelope') {
    told.push(`ignored ${isEnvelope ? 'envelope' : 'bare'}`);
    // Some answer what they do not understand.
    const text = behavior.objects === true && isEnvelope ? '{"id":1e9,"method":"x/unknown"}' : undefined;
    return { text, reply: (line) => line.replace('1000000000', 'null') };
  }
  const wrap = (text) =>
    JSON.stringify({ id: crypto.randomUUID(), topic: replyTo, reply_to: null, payload: text });
  return isEnvelope ? { text: payload, reply: wrap } : { text: raw, reply: (line) => line };
}

const carriers = {
  async stdio() {
    const { createInterface } = await import('node:readline');
    const lines = createInterface({ input: process.stdin });
    lines.on('line', (line) => receive(line, (text) => process.stdout.write(`${text}\n`)));
    if (behavior.shutdown !== 'ignore') lines.on('close', () => process.exit(0));
    else setInterval(() => {}, 1000);
  },
  async http() {
    const { createServer } = await import('node:http');
    const server = createServer((request, response) => {
      const pieces = [];
      request.on('data', (it) => pieces.push(it));
      request.on('end', () => {
        if (behavior.status !== undefined) response.writeHead(behavior.status);
        receive(Buffer.concat(pieces).toString('utf8'), (text) => response.end(text));
      });
    });
    server.listen(0, '127.0.0.1', () => process.stdout.write(`ready ${server.address().port}\n`));
  },
  async nats() {
    const { connect } = await import('@nats-io/transport-node');
    const { host, username: user, password: pass } = new URL(address);
    const login = user === '' ? {} : { user, pass };
    const bus = await connect({ servers: host, ...login, reconnectTimeWait: 50, maxReconnectAttempts: -1 });
    const prefix = behavior.prefix ?? 'ext';
    bus.subscribe(`${prefix}.${id}.rpc`, {
      callback: (_error, message) => {
        const { text, reply } = opened(message.string(), behavior.form ?? 'both');
        if (text === undefined || !message.reply) return;
        receive(text, (answer) => {
          for (const line of answer.split('\n')) bus.publish(message.reply, reply(line));
        });
      },
    });
    const content = { id, version: behavior.version ?? '1.0.0', subject_prefix: prefix };
    const card = behavior.form === 'bare' ? JSON.stringify(content) : event(content);
    const beat = () => bus.publish(`${prefix}.registry.heartbeat.${id}`, card);
    if (behavior.heartbeat !== undefined) setInterval(beat, behavior.heartbeat);
    const goodbye = { id, reason: 'maintenance' };
    process.on('SIGTERM', async () => {
      bus.publish(
        `${prefix}.registry.shutdown.${id}`,
        behavior.form === 'bare' ? JSON.stringify(goodbye) : event(goodbye),
      );
      await bus.drain();
      process.exit(0);
    });
    bus.publish(`${prefix}.registry.announce`, card);
    await bus.flush();
    process.stdout.write('ready 0\n');
  },
};

await carriers[carrier]();
