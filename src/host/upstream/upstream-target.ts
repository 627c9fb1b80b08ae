import type { Program } from '../../model/program.js';
import { runsHere } from '../../model/program.js';
import { serverRequestsOf } from '../../model/server-request.js';
import type { SlotValues } from '../../model/slot.js';
import type { Tool } from '../../model/tool.js';
import type { SandboxProfile } from '../../run/sandbox-command.js';
import type { ActionServices } from '../call/action-runner.js';
import type { CallScan, SecretServices } from '../call/secret-scanner.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { Violations } from '../operator/violations.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { StartTrials } from '../packages/start-trials.js';
import { passedEnvironment } from '../sandboxing/passed-environment.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import { sandboxProfileFor } from '../sandboxing/sandbox-profile.js';
import type { SessionSetup } from '../session-setup.js';
import type { ComparedUpstream } from './compared-upstream.js';
import { signInCommandFor, signInPrograms } from './sign-in-server.js';
import type { UpstreamTarget } from './upstream-connections.js';
import { upstreamOpener } from './upstream-opener.js';
import { packageOf, programRefOf, reachOf, upstreamKey } from './upstream-program.js';
import type { UpstreamServices } from './upstream-services.js';

/** What connecting to upstreams needs from the host. */
export interface PackageUpstreamsServices {
  readonly upstreams: UpstreamServices;
  readonly secrets: SecretServices;
  readonly actions: ActionServices;
  readonly kills: KillSwitch;
  readonly startTrials: StartTrials;
  readonly violations: Violations;
}

export interface UpstreamTargetOptions {
  readonly checked: CheckedPackage;
  readonly program: Program;
  readonly slots: SlotValues;
  /** The tool to call, if it has an access of its own: then its program is not shared with other tools. */
  readonly tool?: Tool | undefined;
  readonly services: PackageUpstreamsServices;
  readonly setup: SessionSetup;
  readonly inputs: ProfileInputs;
  readonly scan: () => Promise<CallScan>;
}

/** A long-running process may use more processor time than one that answers a single call. */
const longRunningCpuSeconds = 3600;
/** It also keeps more files open, such as caches, watchers and connections. A limit of the operator counts instead. */
const longRunningOpenFiles = 4096;
/** Processes and threads. A server that drives a browser needs more than 64. */
const longRunningProcesses = 256;

/**
 * The program of a package as one caller is about to use it: what it may see, and how it is opened. `isConstant`: the next
 * call with the same inputs gets the same.
 */
export async function upstreamTarget(
  options: UpstreamTargetOptions,
): Promise<{ readonly target: UpstreamTarget<ComparedUpstream>; readonly isConstant: boolean }> {
  const { checked, program, slots, services, setup, scan } = options;
  const pkg = packageOf(checked);
  const made = runsHere(program) ? await longRunningProfile(options) : null;
  const profile = made?.profile ?? null;
  const ref = programRefOf(checked, program.name);
  const { policy, owner } = setup;
  const environment = passedEnvironment(setup, pkg.id);
  const reach = reachOf(pkg, program, environment);
  const natsUrl = policy.natsUrl ?? null;
  const requests = serverRequestsOf(policy.serverRequests, pkg.id);
  const key = upstreamKey(ref, owner, slots, reach, natsUrl, profile, requests);
  const { url } = signInPrograms(pkg).find((it) => it.name === program.name) ?? {};
  const { accessTokens } = services.upstreams;
  const tokens =
    url === undefined
      ? undefined
      : accessTokens.tokensFor(
          { package: pkg.id, program: program.name, url, environment },
          signInCommandFor(checked),
        );
  const opener = upstreamOpener(
    {
      ...{
        package: pkg,
        file: checked.loaded.file,
        installed: checked.loaded.installed,
        program,
        ref,
        slots,
        reach,
        tokens,
        natsUrl,
        profile,
        scan,
      },
      end: (reason) => services.upstreams.connections.end((it) => it.key === key, reason),
    },
    services,
    setup,
  );
  return {
    target: {
      key,
      owner,
      package: pkg.id,
      digest: ref.digest,
      program: program.name,
      startedHere: runsHere(program),
      guard: profile?.guard,
      ...opener,
    },
    isConstant: slots.size === 0 && made?.isConstant !== false,
  };
}

async function longRunningProfile({
  checked,
  slots,
  tool,
  inputs,
}: UpstreamTargetOptions): Promise<{ readonly profile: SandboxProfile; readonly isConstant: boolean }> {
  const { profile, isConstant } = await sandboxProfileFor(
    checked,
    tool?.access === undefined ? null : tool,
    slots,
    inputs,
  );
  const cpuSeconds = Math.max(profile.limits.cpuSeconds, longRunningCpuSeconds);
  const openFiles = inputs.limits.openFiles ?? longRunningOpenFiles;
  const processes = inputs.limits.processes ?? longRunningProcesses;
  return {
    profile: { ...profile, limits: { ...profile.limits, cpuSeconds, openFiles, processes } },
    isConstant,
  };
}
