/**
 * The program that loads a package's JavaScript inside the sandbox and calls its functions. Requests arrive on descriptor
 * 4 and answers leave on descriptor 3, so that the code can use the three standard streams freely.
 */
export const nodeWorker = String.raw`'use strict';
const { Socket } = require('node:net');
const { realpathSync, writeSync } = require('node:fs');
const { Module, builtinModules } = require('node:module');
const { dirname } = require('node:path');
const { pathToFileURL } = require('node:url');
const { parse, stringify } = JSON;
const { hasOwn } = Object;
const { exit: leave } = process;
const entry = process.argv[1];
const home = dirname(entry) + '/';

const put = (descriptor, text) => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
};
const send = (json) => {
  try {
    put(3, json + '\n');
  } catch {
    leave(70);
  }
};
const note = (text) => {
  try {
    put(2, text + '\n');
  } catch {}
};

/** Both streams buffer output; the answer must not be sent before the output is flushed. */
const printed = new Set();
for (const name of ['stdout', 'stderr']) {
  const { get } = Object.getOwnPropertyDescriptor(process, name);
  const noted = () => {
    const stream = get.call(process);
    printed.add(stream);
    return stream;
  };
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get: noted });
}
const flush = async () => {
  for (const stream of printed) {
    if (stream.destroyed || stream.writableLength === 0) continue;
    await new Promise((done) => {
      stream.once('close', done);
      stream.write('', () => {
        stream.off('close', done);
        done();
      });
    });
  }
};

const errorText = (error) => fullErrorText(error).slice(0, 8000);
const fullErrorText = (error) => {
  try {
    if (error instanceof Error) {
      const text = String(error.message || error.name);
      const { cause } = error;
      // The error of fetch only says that it failed; its cause has the reason.
      const why = cause instanceof Error ? String(cause.message || cause.code || cause.name) : '';
      return why === '' || text.includes(why) ? text : text + ': ' + why;
    }
    if (typeof error === 'string') return error;
    if (typeof error?.message === 'string') return error.message;
    return 'a value was thrown that is not an error: ' + (stringify(error) ?? typeof error);
  } catch {
    return 'a value was thrown that cannot be shown';
  }
};
const kindOf = (error) => {
  try {
    return error instanceof Error ? String(error.name) : '';
  } catch {
    return '';
  }
};
/** The stack frames inside the package, without those of the runtime. */
const trace = (error) => {
  try {
    return String(error.stack)
      .split('\n')
      .filter((it) => /^\s+at /.test(it) && !/node:|\[eval|node_modules/.test(it))
      .map((it) => '  ' + it.trim().replaceAll('file://', '').replaceAll(home, ''))
      .slice(0, 12)
      .join('\n');
  } catch {
    return '';
  }
};
const noteError = (error) => {
  const kind = kindOf(error);
  note([(kind && kind + ': ') + errorText(error), trace(error)].filter((it) => it !== '').join('\n'));
};

let offered;
let isCommonJs = false;

const functionIn = (table, name) => {
  if (table === null || (typeof table !== 'object' && typeof table !== 'function')) return undefined;
  if (!hasOwn(table, name) || typeof table[name] !== 'function') return undefined;
  return { self: table, call: table[name] };
};
const member = (name) => (hasOwn(offered, name) ? offered[name] : undefined);

/** Search order: named export, member of "handlers", member of the default export. */
const find = ({ export: name, convention }) => {
  const named = functionIn(offered, name);
  if (named !== undefined) return { ...named, self: isCommonJs ? offered : undefined, shape: 'named' };
  const standard = member('default');
  const table = functionIn(member('handlers'), name) ?? functionIn(standard, name);
  if (table !== undefined) return { ...table, shape: 'table' };
  if (convention !== 'envelope') return undefined;
  const alone = [offered, standard].find((it) => typeof it === 'function');
  return alone && { self: undefined, call: alone, shape: 'named' };
};

const logger = {};
for (const level of ['debug', 'info', 'warn', 'error'])
  logger[level] = (...values) => note(values.map((it) => (typeof it === 'string' ? it : errorText(it))).join(' '));

/** Tools of the same host can offer objects to each other; here each one is alone. */
const services = { getService: () => undefined, registerService: () => {} };

/** Once in the life of the process. A process whose start failed exits, so that the next call starts a new one. */
let isStarted = false;
const start = async ({ startWith, config }) => {
  if (isStarted) return true;
  isStarted = true;
  for (const name of startWith) {
    const found = functionIn(offered, name);
    if (found === undefined) continue;
    const self = isCommonJs ? offered : undefined;
    try {
      await (name === 'init' ? found.call.call(self, logger, services) : found.call.call(self, config, logger));
    } catch (error) {
      hasFailed = true;
      await flush();
      noteError(error);
      send(stringify({ failed: 'start', message: name + '() failed: ' + errorText(error).split('\n')[0], home }));
      leave(1);
      return false;
    }
  }
  return true;
};

const invoke = (request) => {
  const { self, call, shape } = find(request);
  const { tool, input, config, dataDir } = request;
  const key = request.idempotencyKey === null ? {} : { idempotencyKey: request.idempotencyKey };
  if (request.convention === 'envelope') return call.call(self, { tool, input, ...key });
  return call.call(self, input, shape === 'table' ? config : { config, dataDir });
};

const answer = async (request) => {
  if (!(await start(request))) return;
  const line = await reply(request);
  await flush();
  send(line);
};

const reply = async (request) => {
  const { id } = request;
  const failure = (kind, message) => stringify({ id, cpu: cpu(), [kind]: message });
  if (find(request) === undefined) return failure('absent', request.export);
  let value;
  try {
    value = await invoke(request);
  } catch (error) {
    await flush();
    noteError(error);
    return failure('error', errorText(error));
  }
  let json;
  try {
    json = value === undefined ? 'null' : stringify(value);
  } catch (error) {
    return failure('bad', errorText(error).split('\n')[0]);
  }
  if (json === undefined) return failure('bad', 'it is a ' + typeof value);
  const size = Buffer.byteLength(json);
  if (size > request.limit) return failure('large', size);
  return '{"id":' + id + ',"cpu":' + cpu() + ',"value":' + json + '}';
};
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** "node -e" defines additional global names, some of them only after the script has run. Remove them. */
const removeGlobals = () => {
  const ours = new Set(['console', 'process', 'crypto']);
  for (const it of ['require', 'exports', '__filename', '__dirname', ...builtinModules]) {
    if (!ours.has(it)) delete globalThis[it];
  }
};

const load = async () => {
  const found = await import(pathToFileURL(entry).href);
  const older = Module._cache[realpathSync(entry)];
  isCommonJs = older !== undefined && found.default === older.exports;
  offered = isCommonJs ? Object(older.exports) : found;
};

/** The location of a syntax error is the line before its stack, if it is known. */
const placeOf = (error) => /^(?:file:\/\/)?(\/\S+?:\d+)\n/.exec(String(error.stack))?.[1] ?? '';

let hasFailed = false;
const failed = (error) => {
  hasFailed = true;
  const message = errorText(error).split('\n')[0].replaceAll(home, '');
  const tell = (failed, place) => send(stringify({ failed, message, place, home }));
  if (error instanceof SyntaxError) {
    const place = placeOf(error);
    if (place !== '' || trace(error) === '') {
      tell('syntax', place);
      // Only the runtime knows the location in an ES module, and it prints it if the error is not caught.
      setImmediate(() => {
        throw error;
      });
      return;
    }
  }
  noteError(error);
  tell(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(error?.code) ? 'missing' : 'threw', '');
  leave(1);
};

process.on('uncaughtExceptionMonitor', (error, origin) => {
  if (hasFailed) return;
  noteError(error);
  send(stringify({ uncaught: errorText(error), rejection: origin === 'unhandledRejection' }));
});

const requests = () => {
  const source = new Socket({ fd: 4, readable: true, writable: false });
  let pieces = [];
  source.on('data', (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      pieces.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(pieces).toString();
      pieces = [];
      answer(parse(line));
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  });
  source.on('end', () => leave(0));
  source.on('error', () => leave(70));
};

setImmediate(() => {
  removeGlobals();
  load().then(() => {
    requests();
    send('{"ready":true}');
  }, failed);
});
`;
