import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { upstreamPrograms } from '../../model/package.js';
import { type Program, runsHere } from '../../model/program.js';
import type { SlotValue } from '../../model/slot.js';
import { constantText } from '../../model/template.js';
import type { SandboxProfile } from '../../run/sandbox-command.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import { sandboxProfileFor } from '../sandboxing/sandbox-profile.js';
import type { SessionSetup } from '../session-setup.js';
import type { SessionServices } from './session-services.js';

/** What one start of a server showed. Texts are cleaned of the values that it got. */
export interface StartedOnce {
  readonly isStarted: boolean;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** `HOST` or `HOST:PORT`, in the order of the attempts. */
  readonly hosts: readonly string[];
  readonly failure?: string;
}

const startTimeoutMs = 60_000;

/** What a trial needs of a package. */
export interface PackageTrial {
  start(values: Readonly<Record<string, string>>, signal: CancelSignal): Promise<StartedOnce>;
  /** npm packages whose install scripts did not run. */
  skippedScripts(): readonly string[];
}

export function packageTrial(
  checked: CheckedPackage,
  inputs: () => ProfileInputs,
  services: SessionServices,
  setup: SessionSetup,
): PackageTrial {
  return {
    start: (values, signal) => startOnce(checked, values, inputs(), services, setup, signal),
    skippedScripts: () => skippedScriptsOf(checked, inputs()),
  };
}

/** npm packages of a package whose install scripts did not run. */
function skippedScriptsOf(
  { needs }: CheckedPackage,
  { environments }: Pick<ProfileInputs, 'environments'>,
): readonly string[] {
  const found = needs.flatMap((it) => (it.packages === null ? [] : environments.skippedScripts(it.packages)));
  return [...new Set(found)];
}

/**
 * Starts the server of a package once and ends it: no network, no folders of the user except that of its own script, and a
 * home folder that does not last. Nothing is stored.
 */
async function startOnce(
  checked: CheckedPackage,
  values: Readonly<Record<string, string>>,
  inputs: ProfileInputs,
  { upstreams, actions, secrets, kills }: SessionServices,
  { principal, parse }: SessionSetup,
  signal: CancelSignal,
): Promise<StartedOnce> {
  const pkg = checked.loaded.catalog?.package;
  const program = pkg === undefined ? undefined : upstreamPrograms(pkg).find(runsHere);
  if (pkg === undefined || program === undefined) return { isStarted: false, tools: [], hosts: [] };
  kills.assertNotKilled({ principal, package: pkg.id });
  const slots = new Map(
    pkg.slots.flatMap((slot): [string, SlotValue][] => {
      const value = (Object.hasOwn(values, slot.name) ? values[slot.name] : undefined) ?? slot.default;
      return value === undefined
        ? []
        : [[slot.name, { value, secret: slot.secret, recipients: { kind: 'nobody' } }]];
    }),
  );
  const scan = await secrets.scanner.forCall(pkg, slots, { isPublic: () => false, guesses: true });
  const clean = async (text: string) => String((await scan.clean(text)).value);
  const hosts = new Set<string>();
  const nowhere = { ...inputs, folders: { dataFolder: () => '' } };
  const { profile } = await sandboxProfileFor(checked, null, slots, nowhere);
  const connect = await upstreams.connect.mcp();
  try {
    const opened = await connect({
      ...{ package: pkg, program, agentVersion: parse.agentVersion, slots, natsUrl: null },
      openProfile: async () => confined(profile, program),
      processServices: {
        ...actions.processServices,
        onDenied: ({ host, port }) => void hosts.add(port === 443 || port === 80 ? host : `${host}:${port}`),
      },
      client: actions.client,
      reach: { hosts: [], granted: [], denied: [] },
      timeoutMs: startTimeoutMs,
      signal,
      onLog: () => {},
      onChange: () => {},
      onOutdated: () => {},
    });
    const tools = [];
    for (const { name, description = '' } of opened.announced.tools)
      tools.push({ name: await clean(name), description: await clean(description) });
    await opened.close('the trial is over');
    return { isStarted: true, tools, hosts: [...hosts] };
  } catch (error) {
    if (!(error instanceof HostError) || signal.aborted) throw error;
    return { isStarted: false, tools: [], hosts: [...hosts], failure: await clean(error.message) };
  }
}

/** The profile without everything that somebody would have to agree to. */
function confined(profile: SandboxProfile, { target }: Program): SandboxProfile {
  const script = target.kind === 'process' ? constantText(target.command[0] ?? { parts: [] }) : undefined;
  const isCode = (folder: string) => script?.startsWith(`${folder}/`) === true;
  const roots = profile.roots.filter((it) => isCode(it.target)).map((it) => ({ ...it, writable: false }));
  return {
    ...profile,
    roots,
    hidden: profile.hidden.filter((it) => roots.some((root) => it.startsWith(`${root.target}/`))),
    guard: roots.length === 0 ? undefined : profile.guard,
    dataFolder: null,
    network: { reach: { hosts: [], granted: [], denied: [] }, anyPublic: false, holdsSecret: false },
  };
}
