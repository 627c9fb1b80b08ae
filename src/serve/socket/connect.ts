import { existsSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { HostError, type HostErrorCode, hostErrorCodes } from '../../model/host-error.js';
import { readFirstLine } from '../../wire/lines.js';
import { type Hello, helloLimit, type Welcome } from './hello.js';
import { type HostKind, socketPath } from './path.js';
import { assertPrivate } from './private-folder.js';

/** Connects to the host of a state directory; undefined when there is none. */
export async function dial(state: string, kind: HostKind = 'host'): Promise<Socket | undefined> {
  const path = socketPath(state, kind);
  if (!existsSync(path)) return undefined;
  assertPrivate(path);
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // No socket, a socket nobody listens on, or one that went away: there is no host.
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR')
        resolve(undefined);
      else
        reject(
          new HostError('host_unreachable', `the host of ${state} cannot be reached (${error.code})`, {
            cause: error,
          }),
        );
    });
  });
}

/** Says hello and waits to be let in. The stream behind the welcome is the surface that was asked for. */
export async function greet(socket: Socket, hello: Hello): Promise<void> {
  socket.write(`${JSON.stringify(hello)}\n`);
  let answer: Welcome;
  try {
    answer = JSON.parse(await readFirstLine(socket, helloLimit));
  } catch (error) {
    socket.destroy();
    throw new HostError('host_unreachable', 'the host closed the connection', {
      cause: error,
      hint: 'try again; its log is host.log in the state directory',
    });
  }
  if (answer.toolwharf === 'welcome') return;
  socket.destroy();
  const { code, message, hint } = answer.error;
  const known = (hostErrorCodes as readonly string[]).includes(code) ? (code as HostErrorCode) : 'internal';
  throw new HostError(known, message, hint === undefined ? {} : { hint });
}
