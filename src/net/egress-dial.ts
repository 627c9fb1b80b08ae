import { connect, type Socket } from 'node:net';
import { HostError } from '../model/host-error.js';
import { type Destination, nameOf } from './destination.js';

/** Addresses of one name that are tried; more are no better. */
const maxAttempts = 4;

/** Connects to the first address that answers. They were judged, so nothing is looked up here. */
export async function dial(
  addresses: readonly string[],
  destination: Destination,
  milliseconds: number,
  track: (socket: Socket) => void,
): Promise<Socket> {
  const attempts = addresses.slice(0, maxAttempts);
  const end = performance.now() + milliseconds;
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
  throw new HostError('network_failed', `no connection to ${nameOf(destination)} (${code})`, {
    cause: failure,
  });
}

function attempt(
  address: string,
  port: number,
  milliseconds: number,
  track: (socket: Socket) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    track(socket);
    const timer = setTimeout(() => socket.destroy(), milliseconds);
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

/** Work that cannot be called off, but that nobody waits for longer than this. */
export function within<T>(work: Promise<T>, milliseconds: number, complaint: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new HostError('network_failed', complaint)), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
