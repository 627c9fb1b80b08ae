import type { JsonSchema } from '../../model/json.js';
import type { SchemaValidator } from '../../schema/validator.js';
import type { ActionServices } from '../call/action-runner.js';
import type { SecretServices } from '../call/secret-scanner.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { RunningCalls } from '../operator/running-calls.js';
import type { ToolSets } from '../operator/tool-sets.js';
import type { Violations } from '../operator/violations.js';
import type { PackageServices } from '../packages/package-services.js';
import type { ReleaseWatch } from '../packages/release-watch.js';
import type { StartTrials } from '../packages/start-trials.js';
import type { SandboxServices } from '../sandboxing/sandbox-services.js';
import type { UpstreamServices } from '../upstream/upstream-services.js';

/** Everything a session needs to check and run its packages. */
export interface SessionServices {
  readonly packages: PackageServices;
  readonly sandboxing: SandboxServices;
  readonly secrets: SecretServices;
  readonly actions: ActionServices;
  readonly upstreams: UpstreamServices;
  readonly kills: KillSwitch;
  readonly startTrials: StartTrials;
  readonly violations: Violations;
  readonly releaseWatch: Pick<ReleaseWatch, 'concerns'>;
  readonly sets: ToolSets;
  readonly running: RunningCalls;
  /** Loaded on the first call, because loading it takes longer than the rest of the start. */
  readonly schemas: () => Promise<SchemaEngine>;
  /** Tells listeners that the lists of tools, prompts or resources may have changed. */
  readonly notifyChanged: () => void;
}

export interface SchemaEngine {
  inputValidator(schema: JsonSchema): SchemaValidator;
  outputValidator(schema: JsonSchema): SchemaValidator;
}
