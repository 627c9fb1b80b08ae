// Three ways to speak to a gateway: streamable HTTP, the older HTTP with one event stream, and lines over pipes. All do as
// little as they can, so that what is measured is the gateway.
import { Agent, request } from 'node:http';

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};
const limitMs = 30_000;

/** Hands out ids and matches answers to them. `send` gets the text of a message. */
function exchange(send) {
  const waiting = new Map();
  let last = 0;
  return {
    take(text) {
      const message = JSON.parse(text);
      const found = waiting.get(message.id);
      if (found === undefined || message.method !== undefined) return;
      waiting.delete(message.id);
      clearTimeout(found.timer);
      if (message.error === undefined) found.resolve(message.result);
      else found.reject(new Error(message.error.message));
    },
    fail(error) {
      for (const { reject, timer } of waiting.values()) {
        clearTimeout(timer);
        reject(error);
      }
      waiting.clear();
    },
    notify: (method) => send(JSON.stringify({ jsonrpc: '2.0', method })),
    ask(method, params) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), limitMs);
        waiting.set(id, { resolve, reject, timer });
        Promise.resolve(
          send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), { method, params }),
        ).catch((error) => {
          clearTimeout(timer);
          waiting.delete(id);
          reject(error);
        });
      });
    },
  };
}

/** What every client can do, on top of asking. */
async function greeted(talk, close) {
  await talk.ask('initialize', hello);
  await talk.notify('notifications/initialized');
  return calling(talk, close);
}

function calling(talk, close) {
  const list = async () => {
    const tools = [];
    let cursor;
    do {
      const page = await talk.ask('tools/list', cursor === undefined ? {} : { cursor });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return tools;
  };
  let count = 0;
  const call = async (name) => {
    count += 1;
    const text = `word ${count}`;
    const result = await talk.ask('tools/call', { name, arguments: { text } });
    // An answer that is not an echo would make a fast gateway out of a broken one.
    if (result.isError === true || !JSON.stringify(result).includes(text))
      throw new Error(`not an echo: ${JSON.stringify(result).slice(0, 300)}`);
  };
  return { list, call, close };
}

/** Messages of an event stream, as they come. */
function eventReader(onEvent) {
  let pending = '';
  return (chunk) => {
    const events = (pending + chunk).split(/\r?\n\r?\n/);
    pending = events.pop();
    for (const event of events) {
      const lines = event.split(/\r?\n/);
      const data = lines
        .filter((it) => it.startsWith('data:'))
        .map((it) => it.slice(5).trimStart())
        .join('\n');
      if (data !== '')
        onEvent(
          data,
          lines
            .find((it) => it.startsWith('event:'))
            ?.slice(6)
            .trim(),
        );
    }
  };
}

function post(agent, port, path, headers, text, onResponse) {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: {
          ...headers,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      (response) => {
        response.setEncoding('utf8');
        response.once('error', reject);
        response.once('end', resolve);
        onResponse(response, reject);
      },
    );
    sent.once('error', reject);
    sent.end(text);
  });
}

/** Each request names the version and itself, in the headers too. There is no session. */
const claim = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function claiming(talk, close) {
  return calling({ ...talk, ask: (method, params) => talk.ask(method, { _meta: claim, ...params }) }, close);
}

/** `era`: `2026-07-28`, or absent for a session of 2025-11-25. */
export async function streamableClient({ port, token, era }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headersOf = (method, params) =>
    era === undefined
      ? headers
      : {
          ...headers,
          'mcp-protocol-version': era,
          'mcp-method': method,
          ...(params?.name === undefined ? {} : { 'mcp-name': params.name }),
        };
  const talk = exchange((text, about) =>
    post(agent, port, '/mcp', headersOf(about?.method, about?.params), text, (response, reject) => {
      const session = response.headers['mcp-session-id'];
      if (session !== undefined) {
        headers['mcp-session-id'] = session;
        headers['mcp-protocol-version'] = hello.protocolVersion;
      }
      if (response.headers['content-type']?.startsWith('text/event-stream'))
        response.on(
          'data',
          eventReader((data) => talk.take(data)),
        );
      else {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.once('end', () => {
          if (response.statusCode >= 400) reject(new Error(`${response.statusCode} ${body.slice(0, 300)}`));
          else if (body !== '' && response.statusCode === 200) talk.take(body);
        });
      }
    }),
  );
  try {
    const close = () => agent.destroy();
    return era === undefined ? await greeted(talk, close) : claiming(talk, close);
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

/** The transport of 2024-11-05: answers come on one stream, requests are posted beside it. */
export async function eventStreamClient({ port }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let path;
  const talk = exchange((text) =>
    post(agent, port, path, {}, text, (response, reject) => {
      response.resume();
      if (response.statusCode >= 400) reject(new Error(`status ${response.statusCode}`));
    }),
  );
  let stream;
  await new Promise((resolve, reject) => {
    stream = request(
      { host: '127.0.0.1', port, path: '/mcp', headers: { accept: 'text/event-stream' }, agent: false },
      (response) => {
        response.setEncoding('utf8');
        response.on('error', (error) => talk.fail(error));
        response.once('end', () => reject(new Error('the stream ended')));
        response.on(
          'data',
          eventReader((data, event) => {
            if (event !== 'endpoint') return talk.take(data);
            const url = new URL(data, `http://127.0.0.1:${port}`);
            path = url.pathname + url.search;
            resolve();
          }),
        );
      },
    );
    stream.once('error', reject);
    stream.end();
  });
  const close = () => {
    stream.destroy();
    agent.destroy();
  };
  try {
    return await greeted(talk, close);
  } catch (error) {
    close();
    throw error;
  }
}

/** `era` as above. */
export async function pipeClient(child, era) {
  const talk = exchange((text) => {
    child.stdin.write(`${text}\n`);
  });
  let pending = '';
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop();
    for (const line of lines) if (line !== '') talk.take(line);
  });
  child.once('exit', () => talk.fail(new Error('it ended')));
  const close = () => child.stdin.end();
  return era === undefined ? greeted(talk, close) : claiming(talk, close);
}
