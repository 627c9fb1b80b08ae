import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import type { Tool } from '../model/tool.js';
import type { RunRequest, RunResult } from '../run/run.js';
import type { SchemaValidator } from '../schema/validator.js';

/** A tool as one session may call it. */
export interface Served {
  /** `package/tool`. */
  readonly name: string;
  readonly exposed: string;
  readonly package: Package;
  readonly tool: Tool;
  /** Digest of the catalogue that was shown. */
  readonly digest: string;
  /** Throws the reason why the tool cannot be called now. */
  assertReady(): void;
  /** Throws when the sandbox does not hold on this machine. */
  assertConfined(): Promise<void>;
  input(): Promise<SchemaValidator>;
  /** What the tool and the package's guardrails declare of the answer; empty when they say nothing. */
  outputs(): Promise<readonly SchemaValidator[]>;
  run(request: Omit<RunRequest, 'files'>): Promise<RunResult>;
}

export function notReady(name: string, state: string, reasons: readonly string[]): HostError {
  const why = reasons.length === 0 ? state : reasons.join('; ');
  return new HostError(
    state === 'needs-setup' ? 'needs_setup' : 'not_served',
    `${name} cannot be called: ${why}`,
  );
}
