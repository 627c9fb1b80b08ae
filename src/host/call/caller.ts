import type { KillSubject } from '../../model/kill-target.js';
import type { LabelSession } from '../operator/label-session.js';
import type { CallableTool } from './callable-tool.js';
import type { HookHandler } from './hooks.js';

/** The session that makes a call, and the tools it can see. */
export interface Caller {
  /** Id of the session. */
  readonly id: string;
  readonly principal: string;
  /** Which client of the principal; empty if all its sessions are one client. */
  readonly client: string;
  /**
   * Takes `package/tool` or an exposed name; throws if there is no such tool. `from`: the tool that calls it, which may
   * use all tools of its own package.
   */
  resolve(name: string, from?: string): Promise<CallableTool>;
  /** Whether extensions have hooks for calls; most sessions have none. */
  hasHooks(): boolean;
  hooks(): Promise<readonly HookHandler[]>;
  /** Whether its client is trusted to pass on what its user wrote. */
  readonly passesUserText: boolean;
  /** What the session has seen. Ask again for each call. */
  labels(): Promise<LabelSession>;
}

export function killSubjectOf({ principal }: Caller, { package: pkg, tool }: CallableTool): KillSubject {
  return { principal, package: pkg.id, tool: tool.name };
}
