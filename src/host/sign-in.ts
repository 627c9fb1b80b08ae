import { HostError } from '../model/host-error.js';
import { mayReceive } from '../model/host-name.js';
import type { Package } from '../model/package.js';
import { unstoppable } from '../model/signal.js';
import type { Slot } from '../model/slot.js';
import type { HttpClient } from '../net/client.js';
import { type AskBroker, brokerEntry, defaultBrokerUrl, type TokenBroker } from '../secrets/broker.js';
import { signInFor } from '../secrets/provider.js';
import type { Vault } from '../secrets/vault.js';
import type { BrokerPolicy } from './host.js';

/** Long enough for an answer; nobody waits here for a person. */
const wallMs = 15_000;
const bodyBytes = 256 * 1024;

/** What tokens of a session come from. */
export interface SignInServices {
  readonly broker: TokenBroker;
  readonly vault: Vault;
  readonly policy: BrokerPolicy;
  readonly principal: string;
}

/** The one place that the key of the broker is sent to is the one that the operator configured. */
export function askOver(client: HttpClient): AskBroker {
  return async ({ url, key, body }) => {
    const { hostname, port } = new URL(url);
    const place = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? null : Number(port) };
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
      reach: { hosts: [place], granted: [place] },
      credential: true,
      limits: { wallMs, bodyBytes },
      signal: unstoppable,
    });
    return { status, text: bytes.toString('utf8') };
  };
}

/** A token for one slot of a package. */
export async function mintedToken(of: Package, slot: Slot, road: SignInServices): Promise<string> {
  if (slot.source.kind !== 'broker') throw new Error('only a sign-in has a token');
  const { scopes } = slot.source;
  const signIn = signInFor(scopes);
  if (signIn === undefined)
    throw new HostError(
      'needs_setup',
      `${of.id} asks for ${scopes.join(', ')}, which no single sign-in covers`,
    );
  const { url = defaultBrokerUrl, user = road.principal } = road.policy;
  const opened = await road.vault.value(brokerEntry.package, brokerEntry.slot);
  const set = `toolwharf secret set ${brokerEntry.package} ${brokerEntry.slot}`;
  if (opened === undefined)
    throw new HostError(
      'needs_setup',
      `${of.id} needs a sign-in for ${scopes.join(', ')}, and no key of a token broker is kept`,
      { hint: `set it: ${set}; broker.url says where the broker is (docs/config.md)` },
    );
  const { audience, value: key } = opened;
  if (audience.kind === 'hosts' && !mayReceive(audience, new URL(url).hostname))
    throw new HostError(
      'needs_setup',
      `the key of the token broker may not go to ${new URL(url).host}, which broker.url names`,
      { hint: `set it for that host: ${set} --host ${new URL(url).hostname}` },
    );
  return road.broker.token({ url, key, user, signIn, scopes }).catch((error: unknown) => {
    throw error instanceof HostError ? explained(error, url) : error;
  });
}

/** Words of the guarded client are about tools; here the host itself asks. */
function explained(error: HostError, url: string): HostError {
  if (!['network_failed', 'network_denied', 'timeout', 'output_too_large'].includes(error.code)) return error;
  return new HostError(
    'upstream_failed',
    `the token broker at ${new URL(url).host} cannot be asked: ${error.message}`,
    {
      cause: error,
      hint: 'see whether it works; broker.url says where it is, and nothing was run',
    },
  );
}
