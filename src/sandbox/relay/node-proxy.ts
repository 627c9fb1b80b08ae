/**
 * Before Node 22.21 and 24.5, the built-in http, https and fetch ignore proxy variables. This script is loaded before a
 * program and sends their requests through the proxy. It loads no module itself: every agent's constructor calls
 * `EventEmitter.init`, which shows that http or https was loaded. fetch keeps its dispatcher under a registered symbol;
 * the first call of fetch replaces it with one that uses the proxy.
 */
const script = String.raw`
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)) return;
const proxy = { host: '127.0.0.1', port: 3128 };
const bracketed = (host) => (host.includes(':') && !host.startsWith('[') ? '[' + host + ']' : host);
const direct = (it) => it.socketPath || (it.host === proxy.host && Number(it.port) === proxy.port);
const tunnel = (host, port, callback) => {
  const socket = require('net').connect({ ...proxy, noDelay: true });
  const target = bracketed(host) + ':' + port;
  let read = Buffer.alloc(0);
  const finish = (error) => {
    socket.off('error', finish).off('end', ended).off('data', take);
    if (error) socket.destroy();
    callback(error, error ? null : socket);
  };
  const ended = () => finish(Object.assign(new Error('the proxy closed the connection'), { code: 'ECONNRESET' }));
  const take = (chunk) => {
    read = Buffer.concat([read, chunk]);
    const end = read.indexOf('\r\n\r\n');
    if (end < 0) return read.length > 65536 ? ended() : undefined;
    const [, status, phrase] = /^HTTP\/1\.[01] (\d+) ?([^\r]*)/.exec(read.toString('latin1')) || [];
    if (status !== '200') {
      return finish(Object.assign(new Error(phrase || 'the proxy refused'), { code: status === '403' ? 'EACCES' : 'ECONNREFUSED' }));
    }
    socket.pause();
    if (read.length > end + 4) socket.unshift(read.subarray(end + 4));
    finish(null);
  };
  socket.on('error', finish).on('end', ended).on('data', take);
  socket.write('CONNECT ' + target + ' HTTP/1.1\r\nHost: ' + target + '\r\n\r\n');
};

const patchHttp = (agent) => {
  const { addRequest, createConnection, createSocket } = agent;
  agent.createConnection = function (options, ...rest) {
    if (options === null || typeof options !== 'object' || direct(options)) return createConnection.call(this, options, ...rest);
    return createConnection.call(this, { ...options, ...proxy, lookup: undefined, localAddress: undefined }, ...rest);
  };
  const own = agent.createConnection;
  agent.addRequest = function (request, options, ...rest) {
    const ours = this.createConnection === own && this.createSocket === createSocket;
    if (ours && options && typeof options === 'object' && !direct(options) && request.path.startsWith('/')) {
      const path = 'http://' + bracketed(options.host) + ':' + options.port + request.path;
      // Headers given as an array are already serialized here; with Expect they are even queued for sending.
      const start = (text) => text.replace(/^(\S+) \S+/, (_, method) => method + ' ' + path);
      const [queued] = request.outputData || [];
      if (request._header && queued && typeof queued.data === 'string' && queued.data.startsWith(request._header)) {
        queued.data = start(queued.data);
      }
      if (request._header) request._header = start(request._header);
      request.path = path;
    }
    return addRequest.call(this, request, options, ...rest);
  };
};
const patchHttps = (agent) => {
  const { createConnection } = agent;
  agent.createConnection = function (options, callback) {
    if (options === null || typeof options !== 'object' || typeof callback !== 'function' || options.socket || direct(options)) {
      return createConnection.apply(this, arguments);
    }
    tunnel(options.host || 'localhost', options.port || 443, (error, socket) => {
      if (error) callback(error);
      else callback(null, createConnection.call(this, { ...options, socket }));
    });
  };
};
const events = require('events');
const { init } = events;
const patched = new Set();
const noticed = function (options) {
  init.call(this, options);
  if (typeof this.addRequest !== 'function') return;
  for (let it = Object.getPrototypeOf(this); it !== null; it = Object.getPrototypeOf(it)) {
    if (patched.has(it)) continue;
    const isHttp = Object.hasOwn(it, 'addRequest') && Object.hasOwn(it, 'createSocket') && Object.hasOwn(it, 'getName') && Object.hasOwn(it, 'removeSocket');
    const isHttps = Object.hasOwn(it, '_cacheSession') && Object.hasOwn(it, 'createConnection');
    if (!isHttp && !isHttps) continue;
    patched.add(it);
    (isHttp ? patchHttp : patchHttps)(it);
  }
  if (patched.size > 1 && events.init === noticed) events.init = init;
};
events.init = noticed;

if (typeof fetch !== 'function') return;
const key = Symbol.for('undici.globalDispatcher.1');
const ours = new WeakSet();
const prepare = () => {
  void globalThis.Response;
  const present = globalThis[key];
  if (present === undefined || ours.has(present) || present.constructor.name !== 'Agent') return;
  const symbol = Object.getOwnPropertySymbols(present).find((it) => it.description === 'options');
  // No keep-alive: the proxy closes all connections between two calls.
  const kept = { ...(symbol === undefined ? {} : present[symbol]), pipelining: 0 };
  const secure = kept.connect !== null && typeof kept.connect === 'object' ? kept.connect : {};
  kept.connect = (options, callback) => {
    if (options.protocol !== 'https:') {
      const socket = require('net').connect({ ...proxy, noDelay: true });
      const failed = (error) => callback(error, null);
      socket.once('error', failed).once('connect', () => {
        socket.off('error', failed);
        callback(null, socket);
      });
      return socket;
    }
    const host = options.hostname.replace(/^\[|\]$/g, '');
    tunnel(host, options.port || 443, (error, socket) => {
      if (error) return callback(error, null);
      const servername = options.servername || (require('net').isIP(host) ? '' : host);
      const tls = require('tls').connect({ ALPNProtocols: ['http/1.1'], ...secure, host, servername, socket });
      const failed = (reason) => callback(reason, null);
      tls.once('error', failed).once('secureConnect', () => {
        tls.off('error', failed);
        callback(null, tls);
      });
    });
  };
  const through = new (class Agent extends present.constructor {
    dispatch(options, handler) {
      const origin = new URL(String(options.origin)).origin;
      if (!origin.startsWith('http:')) return super.dispatch(options, handler);
      return super.dispatch({ ...options, origin: 'http://' + proxy.host + ':' + proxy.port, path: origin + options.path }, handler);
    }
  })(kept);
  ours.add(through);
  globalThis[key] = through;
};
const plain = fetch;
Object.defineProperty(globalThis, 'fetch', {
  ...Object.getOwnPropertyDescriptor(globalThis, 'fetch'),
  value: function fetch(input, init = undefined) {
    prepare();
    return plain(input, init);
  },
});
`;

/** Content of the file that is mounted and loaded with --require, the fastest way. */
export const nodePreload = `'use strict';\n(() => {${script}})();\n`;

/** Path of the file inside a sandbox. */
export const nodePreloadInside = '/run/toolwharf/node-proxy.cjs';

/** NODE_OPTIONS that load the script. Without a file the script is part of the variable, which costs a few milliseconds. */
export function nodeOptions(file: string | null): string {
  if (file !== null) return `--require ${file}`;
  const source = `import { createRequire } from 'node:module';\n((require) => {${script}})(createRequire('/'));\n`;
  return `--import data:text/javascript;base64,${Buffer.from(source).toString('base64')}`;
}
