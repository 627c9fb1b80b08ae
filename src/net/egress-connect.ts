import { connect, type Socket } from 'node:net';
import { HostError } from '../model/host-error.js';
import { type Destination, hostPort } from './destination.js';

/** Addresses of one name that are tried. */
const maxAttempts = 4;

/** Connects to the first address that accepts. The addresses were checked before, so there is no DNS lookup here. */
export async function connectFirst(
  addresses: readonly string[],
  destination: Destination,
  timeoutMs: number,
  track: (socket: Socket) => void,
): Promise<Socket> {
  const attempts = addresses.slice(0, maxAttempts);
  const end = performance.now() + timeoutMs;
  let failure: unknown;
  for (const [index, address] of attempts.entries()) {
    const left = end - performance.now();
    if (left <= 0) break;
    try {
      return await attempt(address, destination.port, left / (attempts.length - index), track);
    } catch (error) {
      failure = error;
    }
  }
  const code = (failure as NodeJS.ErrnoException | undefined)?.code ?? 'ETIMEDOUT';
  throw new HostError('network_failed', `no connection to ${hostPort(destination)} (${code})`, {
    cause: failure,
  });
}

function attempt(
  address: string,
  port: number,
  timeoutMs: number,
  track: (socket: Socket) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    track(socket);
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    let failure: Error | undefined;
    socket.once('error', (error) => {
      failure = error;
    });
    const closed = () => {
      clearTimeout(timer);
      reject(failure ?? Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    };
    socket.once('close', closed);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('close', closed);
      resolve(socket);
    });
  });
}

/** Rejects after the timeout. The work itself cannot be canceled and continues. */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number, message: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new HostError('network_failed', message)), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
