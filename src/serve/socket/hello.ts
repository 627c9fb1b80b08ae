import type { SessionPolicy } from '../../host/host.js';
import type { Expose } from '../mcp/front.js';

/** The first line on the socket: what the caller is and what it wants to see. */
export interface Hello {
  readonly toolwharf: 'hello';
  readonly version: string;
  /** `mcp`: the rest of the connection is MCP. `host`: it is the host's own interface. */
  readonly surface: 'mcp' | 'host';
  readonly principal: string;
  readonly directories: readonly string[];
  readonly named?: readonly string[];
  readonly looking?: boolean;
  readonly root: string;
  readonly allow: readonly string[];
  /** Values of the variables that `allow` names, and of no others. */
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** How an MCP client sees the tools; `auto` unless told. */
  readonly expose?: Expose;
}

/** The host's answer, one line too. */
export type Welcome =
  | { readonly toolwharf: 'welcome'; readonly version: string }
  | {
      readonly toolwharf: 'refused';
      readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
    };

export const helloLimit = 256 * 1024;
