import { HostError } from '../../model/host-error.js';
import type { EgressOptions, EgressProxy } from '../../net/egress.js';
import type { EngineSettings } from '../../sandbox/container/engine.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { Keychain } from '../../secrets/keychain.js';
import type { Check } from '../host.js';
import { checkContainers } from './containers.js';
import { checkEgress } from './egress.js';
import { checkLanguages, findLanguages } from './languages.js';
import { checkNamespaces, checkNode, checkPlatform, type Machine } from './machine.js';
import { checkNats } from './nats.js';
import { checkHold, checkVerdict, type Listener } from './sandbox.js';
import { checkRoots, checkState } from './state.js';

export interface DoctorOptions {
  readonly state: string;
  /** Folders that tools may be lent, absolute. */
  readonly roots: readonly string[];
  readonly home: string;
  readonly machine: Machine;
  readonly sandbox: Sandbox;
  readonly keychain: Keychain | null;
  readonly listener: Listener;
  /** The NATS server that is configured. */
  readonly natsUrl?: string | undefined;
  /** Absent where containers are not asked about. */
  readonly containers?: EngineSettings | undefined;
  readonly openEgress: (options: EgressOptions) => Promise<EgressProxy>;
}

/** Finds out what this machine holds by trying it, and says for each thing that does not the command that mends it. */
export async function examine(options: DoctorOptions): Promise<readonly Check[]> {
  const { machine, sandbox, listener } = options;
  const verdict = await sandbox.probe();
  const checks: Check[] = [checkNode(machine), checkPlatform(machine), checkVerdict(sandbox.name, verdict)];
  if (verdict.level === 'unavailable') {
    const cause = checkNamespaces(machine);
    if (cause !== undefined) checks.push(cause);
  } else {
    const languages = findLanguages(sandbox.user, options.home, machine.node);
    const script = [languages.python, languages.node].find((it) => !(it instanceof HostError));
    const able = script instanceof HostError ? undefined : script;
    checks.push(...(await checkHold(sandbox, able, listener)));
    if (able !== undefined) checks.push(await checkEgress(sandbox, able, listener, options.openEgress));
    checks.push(...(await checkLanguages(sandbox, languages)));
  }
  return [
    ...checks,
    ...(await checkState(options.state, options.keychain)),
    ...checkRoots(options.roots, sandbox.user, options.home),
    ...(options.natsUrl === undefined ? [] : [await checkNats(options.natsUrl)]),
    ...(options.containers === undefined ? [] : [await checkContainers(options.containers)]),
  ];
}
