import { randomBytes } from 'node:crypto';
import type { HttpClient } from '../../net/http-client.js';
import type { Vault } from '../../secrets/vault.js';
import { AnnouncementRows } from '../../store/announcements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { Database } from '../../store/database.js';
import { FailedStartRows } from '../../store/failed-starts.js';
import { SignInRequestRows } from '../../store/sign-in-requests.js';
import type { Invalidate } from '../operator/approval-operations.js';
import { createQueue } from '../queue.js';
import { AnnouncementRegistry } from './announcement-registry.js';
import { FailedStarts } from './failed-starts.js';
import { HostSignIns } from './host-sign-ins.js';
import { ToolOffers } from './tool-offers.js';
import type { UpstreamServices } from './upstream-services.js';

/** Upstreams that start at the same time. */
const maxStarts = 8;

interface UpstreamServicesOptions extends Pick<UpstreamServices, 'onOutdatedTool' | 'now' | 'onLog'> {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly vault: Vault;
  readonly client: HttpClient;
  readonly newId: (prefix: string) => string;
  readonly invalidate: Invalidate;
  /** Ends the connections to the programs of a package. */
  readonly endConnections: (packageId: string, reason: string) => Promise<void>;
  readonly notifyChanged: () => void;
  /** Whether changed announcements need no review: on the host of an author. */
  readonly acceptsChanges: boolean;
}

/** What all sessions of a host share to connect to upstreams. */
export function createUpstreamServices(
  options: UpstreamServicesOptions,
): Omit<UpstreamServices, 'connections'> & { readonly signIns: HostSignIns } {
  const { database, audit, notifyChanged, acceptsChanges, onOutdatedTool, now, onLog } = options;
  const { vault, client, newId, invalidate, endConnections } = options;
  const signIns = new HostSignIns({
    ...{ vault, client, audit, now, newId },
    rows: new SignInRequestRows(database, now),
    newSecret: () => randomBytes(32).toString('base64url'),
    onChanged: async (packageId, reason) => {
      await invalidate({ package: packageId }, reason);
      await endConnections(packageId, reason);
      notifyChanged();
    },
  });
  const rows = new AnnouncementRows(database, now);
  return {
    signIns,
    requestedSignIns: signIns.requested,
    accessTokens: signIns.accessTokens,
    announcements: new AnnouncementRegistry(rows, audit, createQueue(1), notifyChanged, acceptsChanges),
    failedStarts: new FailedStarts(new FailedStartRows(database, now)),
    connect: {
      nexo: async () => (await import('../../run/nexo/connect.js')).connectNexo,
      mcp: async () => (await import('../../run/mcp/connect.js')).connectMcp,
    },
    offers: new ToolOffers(),
    startQueue: createQueue(maxStarts),
    ...{ onOutdatedTool, now, onLog },
  };
}
