import type { EnvironmentStore } from '../environment/store.js';
import type { ParseOptions } from '../model/format.js';
import type { JsonSchema } from '../model/json.js';
import type { Grants } from '../policy/grant.js';
import type { Containers } from '../sandbox/container/containers.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { SchemaValidator } from '../schema/validator.js';
import type { TokenBroker } from '../secrets/broker.js';
import type { Vault } from '../secrets/vault.js';
import type { SwitchedOff } from '../store/switches.js';
import type { Agreements } from './agreements.js';
import type { SessionPolicy } from './host.js';
import type { KillSwitch } from './kill-switch.js';
import type { PackageFolders } from './package-folders.js';
import type { UpstreamServices } from './package-upstreams.js';
import type { ParseCache } from './parse-cache.js';
import type { Performer } from './perform.js';
import type { RunningCalls } from './running.js';
import type { FindInterpreter } from './runtimes.js';
import type { Scanner } from './scanner.js';
import type { Stage } from './stage.js';

/** What a session's packages are judged and run with. */
export interface SessionServices {
  readonly sandbox: Sandbox;
  readonly performer: Performer;
  readonly stage: Stage;
  readonly understandings: ParseCache;
  readonly places: PackageFolders;
  readonly vault: Vault;
  readonly scanner: Scanner;
  readonly broker: TokenBroker;
  readonly switches: SwitchedOff;
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  readonly agreements: Agreements;
  readonly environments: EnvironmentStore;
  readonly remote: UpstreamServices;
  readonly find: FindInterpreter;
  readonly containers: Containers;
  /** For saying that credentials changed without saying anything of them. */
  readonly credentialKey: () => Promise<Uint8Array>;
  /** Folders that belong to the host. */
  readonly own: readonly string[];
  readonly homes: readonly string[];
  /** Tells whoever listens that lists may be others now. */
  readonly changed: () => void;
  /** Loaded on the first call: the schema engine costs more than all the rest of a start. */
  readonly schemas: () => Promise<SchemaEngine>;
}

export interface SchemaEngine {
  inputValidator(schema: JsonSchema): SchemaValidator;
  outputValidator(schema: JsonSchema): SchemaValidator;
}

/** What a caller asked for, read and checked. */
export interface SessionSetup {
  readonly principal: string;
  readonly directories: readonly string[];
  /** What is found there for the first time was agreed to. */
  readonly named: readonly string[];
  readonly root: string;
  readonly grants: Grants;
  /** The grants as they were given. */
  readonly allow: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** Stands for the policy in what a person agrees to. */
  readonly policyDigest: string;
  readonly parse: ParseOptions;
}
