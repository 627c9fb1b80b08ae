import type { NatsConnection } from '@nats-io/transport-node';
import { HostError } from '../../model/host-error.js';

/** Who and where a NATS server is. */
export interface NatsServer {
  /** `host:port`, for messages too. */
  readonly place: string;
  readonly tls: boolean;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/** Reads nats://host:4222, tls://host, nats://user:password@host or nats://token@host. */
export function parseNatsUrl(text: string): NatsServer {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw unfit('it is no URL', error);
  }
  if (url.protocol !== 'nats:' && url.protocol !== 'tls:') throw unfit(`it begins with ${url.protocol}`);
  if (url.hostname === '') throw unfit('it names no host');
  if (url.pathname.replace('/', '') !== '' || url.search !== '' || url.hash !== '')
    throw unfit('nothing may follow host and port');
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  return {
    place: `${url.hostname}:${url.port === '' ? 4222 : url.port}`,
    tls: url.protocol === 'tls:',
    ...(user !== '' && pass === '' ? { token: user } : {}),
    ...(pass === '' ? {} : { user, pass }),
  };
}

/** Never repeats the text itself: it may hold a password. */
function unfit(why: string, cause?: unknown): HostError {
  return new HostError('usage', `the address of the NATS server cannot be used: ${why}`, {
    cause,
    hint: 'write it as nats://127.0.0.1:4222, or tls://user:password@nats.example.com',
  });
}

export interface NatsBus {
  readonly connection: NatsConnection;
  /** A subject that nobody can guess, for answers. */
  readonly inbox: string;
}

/** Connects, and stays connected: the client comes back by itself when the server does. */
export async function connectNats(server: NatsServer, timeoutMs: number): Promise<NatsBus> {
  // The client is loaded by whoever needs it: few do, and it is large.
  const { connect, createInbox } = await import('@nats-io/transport-node');
  const { place, tls, user, pass, token } = server;
  try {
    const connection = await connect({
      servers: place,
      name: 'toolwharf',
      timeout: timeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      ignoreClusterUpdates: true,
      ...(tls ? { tls: {} } : {}),
      ...(user === undefined ? {} : { user, pass: pass ?? '' }),
      ...(token === undefined ? {} : { token }),
    });
    return { connection, inbox: createInbox() };
  } catch (error) {
    throw unreachable(place, error as Error);
  }
}

function unreachable(place: string, error: Error): HostError {
  if (/authori[sz]ation|authentication/i.test(`${error.name} ${error.message}`)) {
    return new HostError('auth_required', `the NATS server at ${place} does not let Toolwharf in`, {
      cause: error,
      hint: 'put user and password, or a token, into the address: nats://user:password@host:4222',
    });
  }
  return new HostError('network_failed', `no NATS server answers at ${place}`, {
    cause: error,
    hint: 'start it (nats-server), or name another one with --nats-url',
  });
}
