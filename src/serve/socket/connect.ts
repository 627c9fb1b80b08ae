import { existsSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { assertPrivateFolder } from '../../files/private-folder.js';
import { HostError, type HostErrorCode, hostErrorCodes } from '../../model/host-error.js';
import { readFirstLine } from '../../wire/lines.js';
import { type Hello, helloLimit, type Welcome } from './hello.js';
import { type HostKind, socketPath } from './socket-path.js';

/** Connects to the host of a state directory; undefined if none runs. */
export async function connectToHost(state: string, kind: HostKind = 'host'): Promise<Socket | undefined> {
  const path = socketPath(state, kind);
  if (!existsSync(path)) return undefined;
  assertPrivateFolder(dirname(path));
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // The socket is missing, or no process listens on it: no host runs.
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

/**
 * Sends the hello line and waits for the welcome. After it, the stream carries the requested protocol. Returns the notes
 * of the host for a person.
 */
export async function sendHello(socket: Socket, hello: Hello): Promise<readonly string[]> {
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
  if (answer.toolwharf === 'welcome') return answer.notes ?? [];
  socket.destroy();
  const { code, message, hint } = answer.error;
  const known = (hostErrorCodes as readonly string[]).includes(code) ? (code as HostErrorCode) : 'internal';
  throw new HostError(known, message, hint === undefined ? {} : { hint });
}
