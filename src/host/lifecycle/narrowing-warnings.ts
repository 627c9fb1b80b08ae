import { type Narrowing, narrowingLines } from '../../model/narrowing.js';
import type { Package } from '../../model/package.js';
import { hostGrant } from '../../policy/required-agreements.js';

/** What a plan says about a package that the operator narrowed: it stays narrowed, whatever the new version asks for. */
export function narrowingWarnings(
  { id, permissions: { network, filesystem } }: Package,
  narrowing: Narrowing | undefined,
): string[] {
  if (narrowing === undefined) return [];
  const hosts = narrowing.network;
  const asked =
    network.kind === 'public'
      ? ['any public host']
      : network.kind === 'hosts'
        ? network.hosts.map(hostGrant)
        : [];
  const denied =
    hosts === null
      ? []
      : asked.filter((it) => !hosts.some((host) => host === it || host.replace(/:\d+$/, '') === it));
  const more = [
    ...denied,
    ...(narrowing.noWriting && filesystem === 'read-write' ? ['writing to the workspace'] : []),
  ];
  return [
    `you narrowed it: ${narrowingLines(narrowing).join('; ')}`,
    ...(more.length === 0
      ? []
      : [
          `it asks for more than that: ${more.join(', ')}; this stays denied until "toolwharf learn ${id} --undo"`,
        ]),
  ];
}
