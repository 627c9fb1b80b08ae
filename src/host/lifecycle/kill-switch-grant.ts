import { isLoopbackHost } from '../../model/host-name.js';
import type { Package } from '../../model/package.js';
import type { NetworkHost } from '../../model/permissions.js';

/** What the address of a kill switch needs before a request is sent to it. */
export interface KillSwitchGrant {
  /** In the syntax of `--allow`. */
  readonly grant: string;
  /** Completes "its kill switch …". */
  readonly reason: string;
}

/** The grant without which a kill switch is not used; undefined if it needs none, or has it. */
export function missingKillSwitchGrant(
  { killSwitch, slots }: Pick<Package, 'killSwitch' | 'slots'>,
  granted: readonly NetworkHost[],
): KillSwitchGrant | undefined {
  if (killSwitch?.kind !== 'url') return undefined;
  const { protocol, hostname, port: named } = new URL(killSwitch.url);
  const port = Number(named || (protocol === 'https:' ? 443 : 80));
  const host = hostname.replace(/^\[|\]$/g, '');
  if (granted.some((it) => it.host === host && (it.port === null || it.port === port))) return undefined;
  const grant = `net:${hostname}:${port}`;
  if (isLoopbackHost(hostname)) return { grant, reason: 'is on this machine' };
  if (protocol !== 'https:' && slots.some((it) => it.secret)) return { grant, reason: 'is not encrypted' };
  return undefined;
}
