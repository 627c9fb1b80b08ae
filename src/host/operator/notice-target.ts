import { HostError } from '../../model/host-error.js';
import { mayReceive } from '../../model/host-name.js';
import { type NotifyTarget, notifySecretOwner, ntfyTopic } from '../../model/notify-target.js';
import type { NetworkHost } from '../../model/permissions.js';
import { parseDestination } from '../../net/destination.js';
import type { OpenedValue } from '../../secrets/vault.js';

/** A target of notices, and the network grants for reaching it. */
export interface NoticeTarget extends NotifyTarget {
  readonly granted: readonly NetworkHost[];
  /** See `NetworkReach`. */
  readonly certificates: string | undefined;
}

/** A target with its secrets, for one delivery. */
export interface ReadyTarget {
  readonly url: string;
  /** Of ntfy. */
  readonly topic: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that must not appear in messages about the delivery. */
  readonly secrets: readonly string[];
}

/** Reads the secrets of a target. Throws `needs_setup` if one is missing or may not be sent there. */
export async function readyTarget(
  target: NotifyTarget,
  secretOf: (slot: string) => Promise<OpenedValue | undefined>,
): Promise<ReadyTarget> {
  const secrets: string[] = [];
  const read = async (name: string): Promise<OpenedValue> => {
    const found = await secretOf(name);
    if (found === undefined) throw setup(`the value ${name} of ${notifySecretOwner} is not set`, name);
    secrets.push(found.value);
    return { ...found, value: found.value.trim() };
  };
  let { url = '' } = target;
  if (target.urlSecret !== undefined) {
    const { value, audience } = await read(target.urlSecret);
    const host = hostOf(value);
    // Without named hosts, a URL may go where it leads itself.
    if (host === undefined || (audience.kind === 'hosts' && !mayReceive(audience, host)))
      throw setup(
        `the value ${target.urlSecret} of ${notifySecretOwner} is not a URL for its hosts`,
        target.urlSecret,
      );
    secrets.push(value, value.slice(value.indexOf('/', 8)));
    url = value;
  }
  const ntfy = target.kind === 'ntfy' ? ntfyTopic(url) : undefined;
  if (target.kind === 'ntfy' && ntfy === undefined)
    throw new HostError('needs_setup', 'the URL of the ntfy target has no topic');
  const headers: Record<string, string> = {};
  if (target.tokenSecret !== undefined) {
    const { value, audience } = await read(target.tokenSecret);
    const host = hostOf(url) ?? '';
    if (audience.kind === 'manifest' || !mayReceive(audience, host) || !/^[\x21-\x7e]+$/.test(value))
      throw setup(
        `the value ${target.tokenSecret} of ${notifySecretOwner} may not be sent to ${host}`,
        `${target.tokenSecret} --host ${host}`,
      );
    headers.authorization = `Bearer ${value}`;
  }
  return { url: ntfy === undefined ? url : `${ntfy.server}/`, topic: ntfy?.topic ?? '', headers, secrets };
}

function setup(message: string, rest: string): HostError {
  return new HostError('needs_setup', message, {
    hint: `toolwharf secret set ${notifySecretOwner} ${rest}`,
  });
}

/** Undefined if the text is not a URL for notices. */
function hostOf(url: string): string | undefined {
  try {
    return /^https?:\/\//i.test(url) ? parseDestination(url).host : undefined;
  } catch {
    return undefined;
  }
}
