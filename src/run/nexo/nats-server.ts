import type { NatsConnection } from '@nats-io/transport-node';
import { HostError } from '../../model/host-error.js';
import { allCertificates } from '../../net/trusted-certificates.js';

/** Address and credentials of a NATS server. */
export interface NatsServer {
  /** `host:port`. */
  readonly address: string;
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
    throw invalidUrl('it is not a URL', error);
  }
  if (url.protocol !== 'nats:' && url.protocol !== 'tls:')
    throw invalidUrl(`the scheme ${url.protocol} is not supported`);
  if (url.hostname === '') throw invalidUrl('it has no host');
  if (url.pathname.replace('/', '') !== '' || url.search !== '' || url.hash !== '')
    throw invalidUrl('it must end after host and port');
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  return {
    address: `${url.hostname}:${url.port === '' ? 4222 : url.port}`,
    tls: url.protocol === 'tls:',
    ...(user !== '' && pass === '' ? { token: user } : {}),
    ...(pass === '' ? {} : { user, pass }),
  };
}

/** Does not show the URL, because it may contain a password. */
function invalidUrl(why: string, cause?: unknown): HostError {
  return new HostError('usage', `the URL of the NATS server is not valid: ${why}`, {
    cause,
    hint: 'write it as nats://127.0.0.1:4222, or tls://user:password@nats.example.com',
  });
}

export interface NatsBus {
  readonly connection: NatsConnection;
  /** Unguessable subject for answers. */
  readonly inbox: string;
}

/** Connects to the server. The client reconnects automatically. `certificates`: see `NetworkReach`. */
export async function connectNats(
  server: NatsServer,
  timeoutMs: number,
  certificates?: string | undefined,
): Promise<NatsBus> {
  // Loaded on demand: the client is large and rarely needed.
  const { connect, createInbox, AuthorizationError, UserAuthenticationExpiredError } = await import(
    '@nats-io/transport-node'
  );
  const { address, tls, user, pass, token } = server;
  try {
    const connection = await connect({
      servers: address,
      name: 'toolwharf',
      timeout: timeoutMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      ignoreClusterUpdates: true,
      ...(tls
        ? { tls: certificates === undefined ? {} : { ca: allCertificates(certificates).join('\n') } }
        : {}),
      ...(user === undefined ? {} : { user, pass: pass ?? '' }),
      ...(token === undefined ? {} : { token }),
    });
    return { connection, inbox: createInbox() };
  } catch (error) {
    const isRejected = error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;
    throw isRejected ? rejectedLogin(address, error) : unreachable(address, error);
  }
}

function rejectedLogin(address: string, cause: Error): HostError {
  return new HostError('auth_required', `the NATS server at ${address} rejected the login`, {
    cause,
    hint: 'put user and password, or a token, into the URL: nats://user:password@host:4222',
  });
}

function unreachable(address: string, cause: unknown): HostError {
  return new HostError('network_failed', `the NATS server at ${address} cannot be reached`, {
    cause,
    hint: 'start it (nats-server), or set another one with --nats-url',
  });
}
