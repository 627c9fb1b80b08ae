// Preloaded into the peers: they listen on this machine only and reach nothing beyond it, whatever their defaults are. One
// of them asks a public catalog at each start, and runs curl where that fails: so they start nothing but Node, either.
import processes from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';

const local = new Set(['127.0.0.1', 'localhost', '::1']);
const listen = Server.prototype.listen;
Server.prototype.listen = function listenHere(first, ...rest) {
  if (typeof first === 'number' || typeof first === 'string') {
    const done = rest.find((it) => typeof it === 'function');
    return listen.call(this, { port: Number(first), host: '127.0.0.1' }, done);
  }
  if (typeof first?.path !== 'string') return listen.call(this, { ...first, host: '127.0.0.1' }, ...rest);
  return listen.call(this, first, ...rest);
};

const connect = Socket.prototype.connect;
Socket.prototype.connect = function connectHere(...words) {
  const given = Array.isArray(words[0]) ? words[0][0] : words[0];
  const options = typeof given === 'object' ? given : { port: given, host: words[1] };
  const host = options.host ?? 'localhost';
  // An agent of http or https says `path: null` for "not a pipe".
  if (typeof options.path !== 'string' && !local.has(host)) {
    process.nextTick(() => this.destroy(new Error('the benchmark lets nobody beyond this machine')));
    return this;
  }
  return connect.apply(this, words);
};

const spawn = processes.ChildProcess.prototype.spawn;
processes.ChildProcess.prototype.spawn = function spawnHere(options) {
  const { file, args = [] } = options;
  // A shell gets its line as the last word.
  const line = /(^|\/)sh$/.test(file) ? args.at(-1) : file;
  if (line !== process.execPath && !line.startsWith(`${process.execPath} `))
    throw new Error('the benchmark lets peers start nothing but Node');
  return spawn.call(this, options);
};
for (const name of ['spawnSync', 'execSync', 'execFileSync'])
  processes[name] = () => {
    throw new Error('the benchmark lets peers start nothing but Node');
  };
syncBuiltinESMExports();
