import type { Actor, FirstAcceptance, SessionIntent, SessionPolicy } from '../../host/host.js';
import type { ExposeMode } from '../mcp/server-options.js';

/** The first line on the socket: who connects, and the options of its session. */
export interface Hello {
  readonly toolwharf: 'hello';
  readonly version: string;
  /** The protocol of the rest of the connection. `host`: the operations of the host, for our own commands. */
  readonly protocol: 'mcp' | 'host';
  readonly principal: string;
  /** The key of an MCP client, which `connect` wrote. Its principal replaces the claimed one. */
  readonly clientKey?: string;
  /** Which client of the principal; see `SessionOptions`. Not for MCP. */
  readonly client?: string;
  readonly directories: readonly string[];
  readonly intent: SessionIntent;
  /** Null: new packages need review. An MCP client never accepts anything. */
  readonly accept: FirstAcceptance | null;
  readonly root: string;
  readonly allow: readonly string[];
  /** Values of the variables that `allow` names. */
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** The set of the session; see `SessionOptions`. Null is not for MCP: a client cannot ask for everything. */
  readonly set?: string | null | undefined;
  /** Under which name the session keeps what it has seen; see `SessionOptions`. An MCP client sends the same one again. */
  readonly sessionName?: string | null | undefined;
  /** Who opens the session, with the PIN. */
  readonly operator?: Actor;
  /** How tools are shown to an MCP client. Default: `auto`. */
  readonly expose?: ExposeMode;
}

/** The answer of the host, one line. */
export type Welcome =
  | {
      readonly toolwharf: 'welcome';
      readonly version: string;
      /** Lines for the person who starts the client: what has no effect, and the next step. */
      readonly notes?: readonly string[];
    }
  | {
      readonly toolwharf: 'rejected';
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
    };

export const helloLimit = 256 * 1024;
