import { callAccessOf } from '../../model/call-access.js';
import { HostError } from '../../model/host-error.js';
import type { Tool } from '../../model/tool.js';
import { denialFor } from '../../policy/denial.js';
import { grantFor, parseGrants } from '../../policy/grant.js';
import { proposeNarrowing } from '../../policy/learning.js';
import type { AuditLog } from '../../store/audit-log.js';
import { observedUses } from '../../store/call-history.js';
import type { Database } from '../../store/database.js';
import type { Narrowings } from '../../store/narrowings.js';
import type { WatchedPackages } from '../../store/watched-packages.js';
import type { SessionCatalog } from '../catalog/session-catalog.js';
import type { OperatorAuth } from '../operator/operator-auth.js';
import { fileAccess } from '../sandboxing/sandbox-profile.js';
import type { SessionSetup } from '../session-setup.js';
import type { Learning } from './learning.js';

export interface LearningServices {
  readonly narrowings: Narrowings;
  readonly watched: WatchedPackages;
  readonly database: Database;
  readonly audit: AuditLog;
  readonly operatorAuth: OperatorAuth;
  readonly now: () => number;
  /** Ends processes of the package that have the old profile. */
  readonly retirePackage: (packageId: string) => void;
  readonly notifyChanged: () => void;
}

const maxWatchSeconds = 7 * 86_400;
const defaultSinceMs = 7 * 86_400_000;
const maxHosts = 200;

export function learningOf(
  setup: SessionSetup,
  catalog: Pick<SessionCatalog, 'report' | 'tools'>,
  services: LearningServices,
): Learning {
  const { narrowings, watched, database, audit, operatorAuth, now } = services;
  const packageOf = async (id: string) => {
    const { packages } = await catalog.report();
    const found = packages.find((it) => it.id === id)?.package;
    if (found !== undefined) return found;
    throw new HostError('not_found', `no package ${JSON.stringify(id)} was found`, {
      hint: 'name an installed package, or its folder with --dir',
    });
  };
  const changed = (id: string) => {
    services.retirePackage(id);
    services.notifyChanged();
  };
  return {
    async watch({ package: id, seconds }) {
      await packageOf(id);
      if (!(seconds > 0 && seconds <= maxWatchSeconds))
        throw new HostError('usage', 'a package is watched for a second up to 7 days');
      const until = now() + seconds * 1000;
      return { since: await watched.watch(id, until), until };
    },
    async propose({ package: id, since: given }) {
      const pkg = await packageOf(id);
      const since = given ?? watched.since(id) ?? now() - defaultSinceMs;
      const tools = (await catalog.tools()).filter((it) => it.name.startsWith(`${id}/`)).map((it) => it.tool);
      const denial = denialFor(setup.policy.deny ?? [], id);
      const about = (name: string, holds: (tool: Tool) => boolean) =>
        tools.some((it) => it.name === name && holds(it));
      const own = ({ action }: Tool) => action?.kind !== 'compose' && action?.kind !== 'prompt';
      await audit.flush();
      const uses = await observedUses(database, id, since, {
        reaches: (name) => about(name, (it) => own(it) && callAccessOf(pkg, it).network.kind !== 'none'),
        writes: (name) =>
          about(
            name,
            (it) => own(it) && it.action?.kind !== 'http' && fileAccess(pkg, it, denial) === 'read-write',
          ),
      });
      return proposeNarrowing({
        ...{ package: pkg, tools: tools.map((it) => it.name), narrowing: narrowings.of(id), uses, since },
        granted: setup.grants.own.get(id)?.network ?? [],
        until: now(),
      });
    },
    async apply({ package: id, network, noWriting, grants: added = [], by }) {
      await packageOf(id);
      assertHosts(id, network ?? [], added);
      const grants = [...new Set([...(narrowings.of(id)?.grants ?? []), ...added])];
      const who = await operatorAuth.verify(by, 'narrow a package');
      const body = { operation: 'narrow', package: id, network: network ?? null, grants, noWriting };
      await audit.append({ kind: 'operator', body: { ...body, ...who } });
      const narrowing = { package: id, network, grants, noWriting, at: now(), by: who.by };
      await narrowings.set(narrowing);
      changed(id);
      return narrowing;
    },
    async undo(id, actor) {
      const who = await operatorAuth.verify(actor, 'undo the narrowing of a package');
      if (narrowings.of(id) === undefined) return false;
      await audit.append({ kind: 'operator', body: { operation: 'undo narrowing', package: id, ...who } });
      const isRemoved = await narrowings.remove(id);
      changed(id);
      return isRemoved;
    },
  };
}

/** Rejects a mistake at once: stored texts become denials and grants of every session. */
function assertHosts(id: string, network: readonly string[], grants: readonly string[]): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id))
    throw new HostError('not_supported', `${id} cannot be named in a grant, so it cannot be narrowed`);
  if (network.length > maxHosts) throw new HostError('usage', `at most ${maxHosts} hosts can be named`);
  if (network.some((it) => /\s/.test(it)) || grants.some((it) => !/^net:\S+$/.test(it)))
    throw new HostError('usage', 'name hosts as host:port, and grants as net:HOST:PORT');
  grantFor(parseGrants([...network.map((it) => `net:${it}`), ...grants]), id);
}
