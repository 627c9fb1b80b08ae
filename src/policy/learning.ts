import { coversHost } from '../model/host-name.js';
import type { LearnProposal, ObservedUses } from '../model/learning.js';
import type { Narrowing } from '../model/narrowing.js';
import type { Package } from '../model/package.js';
import type { FilesystemAccess, NetworkHost } from '../model/permissions.js';
import { hostGrant } from './required-agreements.js';

export interface LearningInput {
  readonly package: Package;
  /** Names of all tools that it offers. */
  readonly tools: readonly string[];
  readonly narrowing: Narrowing | undefined;
  /** Hosts that the operator granted in addition to the manifest. */
  readonly granted: readonly NetworkHost[];
  readonly uses: ObservedUses;
  /** The time that was looked at. */
  readonly since: number;
  readonly until: number;
}

/** Few calls say little about what a package needs. */
const fewCalls = 10;

/** Proposes the smallest grant for what was observed. What could not be observed stays as it is. */
export function proposeNarrowing(input: LearningInput): LearnProposal {
  const { package: pkg, narrowing, uses, tools, since, until } = input;
  const calls = Object.values(uses.calls).reduce((sum, it) => sum + it, 0);
  const network = narrowedNetwork(input, calls);
  const files = narrowedFiles(input, calls);
  const never = tools.filter((it) => !Object.hasOwn(uses.calls, it));
  return {
    ...{ package: pkg.id, version: pkg.version, observed: { since, until, calls } },
    tools: { called: uses.calls, never },
    current: { network: network.current, filesystem: files.current },
    used: { hosts: uses.hosts, changed: uses.unknownFiles > 0 || calls === 0 ? null : uses.changed },
    proposed: { network: network.proposed, filesystem: files.proposed },
    removes: [...network.removes, ...files.removes],
    missing: uses.deniedHosts.map((it) => `net:${it}`),
    unobserved: [
      ...network.unobserved,
      ...files.unobserved,
      ...(pkg.slots.length === 0 ? [] : ['which values and variables it reads']),
    ],
    warnings: [
      ...(calls === 0 ? ['no call was observed, so nothing is proposed'] : []),
      ...(calls > 0 && calls < fewCalls
        ? [calls === 1 ? 'only one call was observed' : `only ${calls} calls were observed`]
        : []),
      ...(calls > 0 && never.length > 0
        ? [`never called: ${never.join(', ')}; the proposal may be too small for them`]
        : []),
    ],
    narrowing: {
      network: network.narrowed ?? narrowing?.network ?? null,
      noWriting: files.proposed !== 'read-write' && pkg.permissions.filesystem === 'read-write',
    },
  };
}

interface NarrowedNetwork {
  readonly current: readonly string[];
  readonly proposed: readonly string[];
  /** Undefined: it stays as it is. */
  readonly narrowed?: readonly string[];
  readonly removes: readonly string[];
  readonly unobserved: readonly string[];
}

function narrowedNetwork(
  { package: pkg, narrowing, granted, uses }: LearningInput,
  calls: number,
): NarrowedNetwork {
  const { network } = pkg.permissions;
  if (network.kind === 'none') return { current: [], proposed: [], removes: [], unobserved: [] };
  const declared = network.kind === 'public' ? granted : [...network.hosts, ...granted];
  const current =
    narrowing?.network ??
    (network.kind === 'public'
      ? ['public', ...granted.map(hostGrant)]
      : [...new Set(declared.map(hostGrant))]);
  const same = (unobserved: readonly string[]) => ({ current, proposed: current, removes: [], unobserved });
  if (calls === 0) return same([]);
  if (uses.unknownHosts > 0)
    return same([`which hosts ${uses.unknownHosts} of its calls reached, so the network stays as it is`]);
  // The host itself connects to programs at URLs, also between calls.
  const used = [...new Set([...uses.hosts, ...programHosts(pkg)])].sort();
  if (narrowing?.network != null) {
    const removed = narrowing.network.filter((it) => !used.includes(it));
    if (removed.length === 0) return same([]);
    const proposed = narrowing.network.filter((it) => used.includes(it));
    return { current, proposed, narrowed: proposed, removes: removed.map(netGrant), unobserved: [] };
  }
  const unused = declared.filter((it) => !used.some((host) => covers(it, host)));
  const wide = declared.filter((it) => it.subdomains === true && !unused.includes(it));
  const removes = [
    ...(network.kind === 'public' ? ['net:public'] : []),
    ...new Set([
      ...unused.map((it) => netGrant(hostGrant(it))),
      ...wide.map((it) => `net:*.${hostGrant(it)}`),
    ]),
  ];
  if (removes.length === 0) return same([]);
  return { current, proposed: used, narrowed: used, removes, unobserved: [] };
}

function narrowedFiles({ package: pkg, narrowing, uses }: LearningInput, calls: number) {
  const { filesystem } = pkg.permissions;
  const current: FilesystemAccess =
    filesystem === 'read-write' && narrowing?.noWriting === true ? 'read-only' : filesystem;
  const same = (unobserved: readonly string[]) => ({ current, proposed: current, removes: [], unobserved });
  if (current === 'none' || calls === 0) return same([]);
  const reading = 'which files it reads, so reading the workspace stays allowed';
  if (current === 'read-only') return same([reading]);
  if (uses.unknownFiles > 0)
    return same([
      reading,
      `whether ${uses.unknownFiles} of its calls changed files, so writing stays allowed; watch it with --for`,
    ]);
  if (uses.changed.length > 0) return same([reading]);
  return {
    ...{ current, proposed: 'read-only' as FilesystemAccess, removes: ['files:read-write'] },
    unobserved: [reading],
  };
}

function programHosts({ programs }: Package): string[] {
  return programs.flatMap(({ target }) => {
    if (target.kind !== 'url') return [];
    const [, tls, host, port] = /^http(s?):\/\/([^/:?#]+|\[[^\]]+\])(?::(\d+))?/i.exec(target.url) ?? [];
    if (host === undefined) return [];
    return [`${host.toLowerCase()}:${port ?? (tls === '' ? 80 : 443)}`];
  });
}

function covers({ host, port, subdomains }: NetworkHost, used: string): boolean {
  const at = used.lastIndexOf(':');
  const name = used.slice(0, at).replace(/^\[|\]$/g, '');
  const usedPort = Number(used.slice(at + 1));
  const isName = host.replace(/^\[|\]$/g, '') === name || (subdomains === true && coversHost(host, name));
  return isName && (port === null ? usedPort === 443 || usedPort === 80 : usedPort === port);
}

function netGrant(host: string): string {
  return `net:${host}`;
}
