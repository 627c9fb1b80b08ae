import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { mayReceive } from '../../model/host-name.js';
import type { Package } from '../../model/package.js';
import type { Slot } from '../../model/slot.js';
import type { HttpClient } from '../../net/http-client.js';
import { signInFor } from '../../secrets/sign-in-provider.js';
import {
  brokerKeyEntry,
  defaultBrokerUrl,
  type SendToBroker,
  type TokenBroker,
} from '../../secrets/token-broker.js';
import type { Vault } from '../../secrets/vault.js';
import type { BrokerPolicy } from '../host.js';

/** For the broker's answer; this request never waits for a person. */
const wallMs = 15_000;
const bodyBytes = 256 * 1024;

/** Everything needed to get a session's tokens from the token broker. */
export interface SignInServices {
  readonly broker: TokenBroker;
  readonly vault: Vault;
  readonly policy: BrokerPolicy;
  readonly principal: string;
  /** Additional certificate authorities, as PEM. */
  readonly certificates?: string | undefined;
}

/** Sends the broker's key only to the URL that the operator configured. */
export function brokerRequester(client: HttpClient): SendToBroker {
  return async ({ url, key, body, certificates }) => {
    const { hostname, port } = new URL(url);
    const destination = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? null : Number(port) };
    const { status, body: bytes } = await client.send({
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'toolwharf',
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify(body),
      reach: { hosts: [destination], granted: [destination], certificates },
      credential: true,
      limits: { wallMs, bodyBytes },
      signal: neverCanceled,
    });
    return { status, text: bytes.toString('utf8') };
  };
}

/** Gets a short-lived token for one slot of a package. */
export async function mintToken(pkg: Package, slot: Slot, services: SignInServices): Promise<string> {
  if (slot.source.kind !== 'broker') throw new Error('only a slot filled by the token broker has a token');
  const { scopes } = slot.source;
  const signIn = signInFor(scopes);
  if (signIn === undefined)
    throw new HostError(
      'needs_setup',
      `${pkg.id} asks for ${scopes.join(', ')}, which no single sign-in covers`,
    );
  const { url = defaultBrokerUrl, user = services.principal } = services.policy;
  if (url === '')
    throw new HostError(
      'needs_setup',
      `${pkg.id} needs the token broker, but nobody accepted the broker.url of this session`,
      { hint: 'look at it and accept it: toolwharf policy accept' },
    );
  const brokerKey = await services.vault.value(brokerKeyEntry.package, brokerKeyEntry.slot);
  const set = `toolwharf secret set ${brokerKeyEntry.package} ${brokerKeyEntry.slot}`;
  if (brokerKey === undefined)
    throw new HostError(
      'needs_setup',
      `${pkg.id} needs a sign-in for ${scopes.join(', ')}, but no key for the token broker is set`,
      { hint: `set it: ${set}; broker.url says where the broker is (docs/config.md)` },
    );
  const { audience, value: key } = brokerKey;
  if (audience.kind === 'hosts' && !mayReceive(audience, new URL(url).hostname))
    throw new HostError(
      'needs_setup',
      `the token broker's key may not be sent to ${new URL(url).host}, the host in broker.url`,
      { hint: `set it for that host: ${set} --host ${new URL(url).hostname}` },
    );
  return services.broker
    .token({ url, key, user, signIn, scopes, certificates: services.certificates })
    .catch((error: unknown) => {
      throw error instanceof HostError ? brokerError(error, url) : error;
    });
}

/** The HTTP client's messages are about tools; here the host itself makes the request. */
function brokerError(error: HostError, url: string): HostError {
  if (!['network_failed', 'network_denied', 'timeout', 'output_too_large'].includes(error.code)) return error;
  return new HostError(
    'upstream_failed',
    `the request to the token broker at ${new URL(url).host} failed: ${error.message}`,
    {
      cause: error,
      hint: 'nothing was run; check that the broker works and that broker.url is right',
    },
  );
}
