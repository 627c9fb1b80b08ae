import type { ConnectUpstream } from '../../run/upstream/upstream.js';
import type { Queue } from '../queue.js';
import type { AccessTokenSource } from './access-token-source.js';
import type { AnnouncementRegistry } from './announcement-registry.js';
import type { ComparedUpstream } from './compared-upstream.js';
import type { FailedStarts } from './failed-starts.js';
import type { RequestedSignIns } from './requested-sign-ins.js';
import type { ToolOffers } from './tool-offers.js';
import type { UpstreamConnections } from './upstream-connections.js';

/** What a session needs to connect to long-running programs (upstreams). */
export interface UpstreamServices {
  readonly connections: UpstreamConnections<ComparedUpstream>;
  readonly announcements: AnnouncementRegistry;
  readonly failedStarts: FailedStarts;
  readonly requestedSignIns: RequestedSignIns;
  readonly accessTokens: AccessTokenSource;
  /** The tools that packages offer, by what was announced. */
  readonly offers: ToolOffers;
  /** By protocol; loaded when first needed. */
  readonly connect: Readonly<Record<'nexo' | 'mcp', () => Promise<ConnectUpstream>>>;
  /** Limits how many upstreams start at the same time to announce their tools. */
  readonly startQueue: Queue;
  /** Called when a tool is no longer announced as it was accepted, with the digest of its definition. */
  readonly onOutdatedTool: (definition: string) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Null if log lines are discarded. */
  readonly onLog: ((packageId: string, line: string) => void) | null;
}
