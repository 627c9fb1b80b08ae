import type { EnvironmentStore } from '../environment/environment-store.js';
import type { ParseOptions } from '../model/format.js';
import type { JsonSchema } from '../model/json.js';
import type { Grants } from '../policy/grant.js';
import type { Containers } from '../sandbox/container/containers.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { SchemaValidator } from '../schema/validator.js';
import type { TokenBroker } from '../secrets/token-broker.js';
import type { Vault } from '../secrets/vault.js';
import type { DisabledPackages } from '../store/disabled-packages.js';
import type { ActionServices } from './action-runner.js';
import type { Agreements } from './agreements.js';
import type { SessionPolicy } from './host.js';
import type { KillSwitch } from './kill-switch.js';
import type { PackageFolders } from './package-folders.js';
import type { UpstreamServices } from './package-upstreams.js';
import type { ParseCache } from './parse-cache.js';
import type { FindInterpreter } from './program-needs.js';
import type { RunningCalls } from './running.js';
import type { SecretScanner } from './secret-scanner.js';
import type { Stage } from './stage.js';

/** Everything a session needs to check and run its packages. */
export interface SessionServices {
  readonly sandbox: Sandbox;
  readonly performer: ActionServices;
  readonly stage: Stage;
  readonly parseCache: ParseCache;
  readonly folders: PackageFolders;
  readonly vault: Vault;
  readonly scanner: SecretScanner;
  readonly broker: TokenBroker;
  readonly switches: DisabledPackages;
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  readonly agreements: Agreements;
  readonly environments: EnvironmentStore;
  readonly upstreams: UpstreamServices;
  readonly findInterpreter: FindInterpreter;
  readonly containers: Containers;
  /** Key for keyed digests of credentials: they show a change, and nothing about the values. */
  readonly credentialKey: () => Promise<Uint8Array>;
  /** The host's own folders, which tools never see. */
  readonly hostFolders: readonly string[];
  /** All paths of the user's home folder. */
  readonly homeFolders: readonly string[];
  /** Tells listeners that the lists of tools, prompts or resources may have changed. */
  readonly notifyChanged: () => void;
  /** Loaded on the first call, because loading it takes longer than the rest of the start. */
  readonly schemas: () => Promise<SchemaEngine>;
}

export interface SchemaEngine {
  inputValidator(schema: JsonSchema): SchemaValidator;
  outputValidator(schema: JsonSchema): SchemaValidator;
}

/** The options of a session after validation. */
export interface SessionSetup {
  readonly principal: string;
  readonly directories: readonly string[];
  /** Paths in which packages found for the first time are accepted. */
  readonly acceptNewIn: readonly string[];
  /** The workspace: an absolute path. */
  readonly root: string;
  readonly grants: Grants;
  /** The grants as text, sorted. */
  readonly allow: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** Part of what an approval is bound to. */
  readonly policyDigest: string;
  readonly parse: ParseOptions;
}
