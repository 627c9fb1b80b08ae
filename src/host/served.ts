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
  input(): SchemaValidator;
  /** Undefined when the tool declares nothing about its answer. */
  output(): SchemaValidator | undefined;
  run(request: Omit<RunRequest, 'files'>): Promise<RunResult>;
}

export function notReady(name: string, state: string, reasons: readonly string[]): HostError {
  const why = reasons.length === 0 ? state : reasons.join('; ');
  return new HostError(
    state === 'needs-setup' ? 'needs_setup' : 'not_served',
    `${name} cannot be called: ${why}`,
  );
}
