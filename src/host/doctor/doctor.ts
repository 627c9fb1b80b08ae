import { HostError } from '../../model/host-error.js';
import type { EgressOptions, EgressProxy } from '../../net/egress.js';
import type { EngineSettings } from '../../sandbox/container/engine.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Keychain } from '../../secrets/keychain.js';
import type { AuditLocations, Check } from '../host.js';
import type { WaivableSettings } from '../session-waivers.js';
import { checkContainers } from './containers.js';
import { checkEgress } from './egress.js';
import { checkLanguages, findLanguages } from './languages.js';
import { checkNamespaces, checkNode, checkPlatform, type MachineFacts } from './machine.js';
import { checkNats } from './nats.js';
import { checkNotices } from './notices.js';
import { checkContainment, checkProbeResult, type Listener } from './sandbox.js';
import { checkRoots, checkState } from './state.js';
import { checkWaivers } from './waivers.js';

export interface DoctorOptions {
  readonly state: string;
  /** Absolute paths of folders that may be mounted for tools. */
  readonly roots: readonly string[];
  readonly home: string;
  readonly machine: MachineFacts;
  readonly sandbox: Sandbox;
  readonly keychain: Keychain | null;
  readonly listener: Listener;
  /** Where the audit log's checkpoints, key and anchors are. */
  readonly audit?: AuditLocations | undefined;
  /** The configured NATS server; absent if there is none. */
  readonly natsUrl?: string | undefined;
  /** Absent if containers are not to be checked. */
  readonly containers?: EngineSettings | undefined;
  /** What the configuration says about sessions; absent if it is invalid. */
  readonly settings?: WaivableSettings | undefined;
  readonly openEgress: (options: EgressOptions) => Promise<EgressProxy>;
}

/** What is needed to test a machine and its sandbox. */
export type MachineOptions = Pick<DoctorOptions, 'home' | 'machine' | 'sandbox' | 'listener' | 'openEgress'>;

/** Tests what this machine can enforce, by trying it. Each check that does not pass names the fix. */
export async function checkMachine(options: MachineOptions): Promise<readonly Check[]> {
  const { machine, sandbox, listener } = options;
  const probeResult = await sandbox.probe();
  const checks: Check[] = [
    checkNode(machine),
    checkPlatform(machine),
    checkProbeResult(sandbox.name, probeResult),
  ];
  if (probeResult.level === 'unavailable') {
    const cause = checkNamespaces(machine);
    if (cause !== undefined) checks.push(cause);
  } else {
    const languages = findLanguages(sandbox.user, options.home, machine.node);
    const found = [languages.python, languages.node].find((it) => !(it instanceof HostError));
    const interpreter = found instanceof HostError ? undefined : found;
    checks.push(...(await checkContainment(sandbox, interpreter, listener)));
    if (interpreter !== undefined)
      checks.push(await checkEgress(sandbox, interpreter, listener, options.openEgress));
    checks.push(...(await checkLanguages(sandbox, languages)));
  }
  return checks;
}

/** The same, and what belongs to a state directory and its configuration. Works next to a running host. */
export async function runDoctor(options: DoctorOptions): Promise<readonly Check[]> {
  const { sandbox } = options;
  return [
    ...(await checkMachine(options)),
    ...(await checkState(options.state, options.keychain, options.audit)),
    ...(options.settings === undefined ? [] : checkWaivers(options.state, options.settings)),
    ...(options.settings === undefined ? [] : checkNotices(options.state, options.settings.policy)),
    ...checkRoots(options.roots, sandbox.user, options.home),
    ...(options.natsUrl === undefined ? [] : [await checkNats(options.natsUrl)]),
    ...(options.containers === undefined ? [] : [await checkContainers(options.containers)]),
  ];
}
