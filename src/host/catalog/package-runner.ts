import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { type Package, upstreamPrograms } from '../../model/package.js';
import type { Slot, SlotValues } from '../../model/slot.js';
import type { HttpResponse } from '../../net/http-client.js';
import { containerTargetOf, spawnContainer } from '../../run/container.js';
import { assertAudience } from '../../run/http.js';
import { collectOutput } from '../../run/process-output.js';
import type { RunResult } from '../../run/run.js';
import { processTargetOf, sandboxCommandFor } from '../../run/sandbox-command.js';
import { spawnSandboxed } from '../../run/sandboxed-process.js';
import { fillArgs } from '../../run/template-filling.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { passedEnvironment } from '../sandboxing/passed-environment.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import { sandboxProfileFor } from '../sandboxing/sandbox-profile.js';
import { mintToken } from '../sandboxing/sign-in.js';
import { slotValues } from '../sandboxing/slots.js';
import { onlyLooks, type SessionSetup } from '../session-setup.js';
import { defaultOutputBytes } from '../session-waivers.js';
import type { PackageUpstreams } from '../upstream/package-upstreams.js';
import type { SessionServices } from './session-services.js';
import { type PackageTrial, packageTrial } from './start-once.js';
import { reportPlaces } from './watched-request.js';

/** How a program of a package ended. Its texts may contain secrets: show them only after `cleanText`. */
export interface ProgramResult {
  /** Null if it was ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A request of the host on behalf of a package. */
export interface PackageRequestOptions extends RunnerOptions {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Names of the slots whose values the request contains. */
  readonly slots: readonly string[];
}

export interface RunnerOptions {
  readonly timeoutMs: number;
  readonly signal: CancelSignal;
}

/** Runs programs and requests of one package outside of calls, in its final sandbox profile and with its values. */
export interface PackageRunner {
  readonly checked: CheckedPackage;
  readonly package: Package;
  /** For a start before anybody agreed to the package. */
  readonly trial: PackageTrial;
  /** The current values of its slots. */
  values(): Promise<SlotValues>;
  /** A text of the package without secrets, to show to people. */
  cleanText(text: string): Promise<string>;
  program(name: string, options: RunnerOptions): Promise<ProgramResult>;
  request(options: PackageRequestOptions): Promise<Pick<HttpResponse, 'status'> & { readonly text: string }>;
  /** Starts or connects the upstreams, and returns the names of their tools. */
  announcedTools(): Promise<readonly string[]>;
  /** Calls a tool of an upstream, also one that the package does not offer. */
  upstreamTool(tool: string, args: JsonObject, options: RunnerOptions): Promise<RunResult>;
}

export interface PackageRunnerServices {
  readonly services: SessionServices;
  readonly setup: SessionSetup;
  readonly profileInputs: () => ProfileInputs;
  readonly upstreams: PackageUpstreams;
}

export function createPackageRunner(
  checked: CheckedPackage,
  { services, setup, profileInputs, upstreams }: PackageRunnerServices,
): PackageRunner {
  if (setup.intent !== 'use') throw onlyLooks('run a program');
  const pkg = checked.loaded.catalog?.package;
  if (pkg === undefined) throw new Error('a broken package is never run');
  const { processServices, client } = services.actions;
  const { vault, broker, scanner } = services.secrets;
  const signIn = { broker, vault, policy: setup.policy.broker ?? {}, principal: setup.principal };
  const mint = (slot: Slot) => mintToken(pkg, slot, signIn);
  const values = () => slotValues(pkg, vault, passedEnvironment(setup, pkg.id), mint);
  const reportDenied = (places: readonly string[], slots: SlotValues) => {
    const { network: granted, denied } = passedEnvironment(setup, pkg.id);
    const call = { network: pkg.permissions.network, granted, denied, input: {} };
    reportPlaces(pkg.id, places, call, slots, { violations: services.violations, setup });
  };
  const scanOptions = { isPublic: () => false, guesses: true };

  return {
    checked,
    package: pkg,
    trial: packageTrial(checked, profileInputs, services, setup),
    values,
    async cleanText(text) {
      const scan = await scanner.forCall(pkg, await values(), scanOptions);
      return String((await scan.clean(text)).value);
    },
    async program(name, { timeoutMs, signal }) {
      const slots = await values();
      services.violations.using(pkg.id, setup);
      const { profile } = await sandboxProfileFor(checked, null, slots, profileInputs());
      const filled = { input: {}, slots };
      const image = containerTargetOf(pkg, name);
      const started =
        image !== undefined
          ? await spawnContainer(image, fillArgs(image.command, filled), profile, processServices)
          : await spawnSandboxed(
              sandboxCommandFor(
                profile,
                name,
                fillArgs(processTargetOf(pkg, name).command, filled),
                processServices.sandbox,
              ),
              profile,
              processServices,
            );
      try {
        started.egress?.activate();
        const { exit, stdout, stderr } = await collectOutput(started.process, {
          ...{ name: `${pkg.id}: ${name}`, stdin: '', timeoutMs, signal, reportsExit: false },
          outputBytes: defaultOutputBytes,
        });
        return { exitCode: exit.code, stdout: stdout.toString('utf8'), stderr };
      } finally {
        started.process.kill();
        const denied = started.egress?.takeDenied() ?? [];
        reportDenied(
          denied.map((it) => `${it.host}:${it.port}`),
          slots,
        );
        await profile.guard?.settle();
      }
    },
    async request({ method, url, headers, body, slots: names, timeoutMs, signal }) {
      const slots = await values();
      const { hostname: host, port } = new URL(url);
      const { network: granted, denied } = passedEnvironment(setup, pkg.id);
      const reach = { hosts: [{ host, port: port === '' ? null : Number(port) }], granted, denied };
      const secrets = names.flatMap((name) => {
        const value = slots.get(name);
        return value?.secret === true ? [{ name, value }] : [];
      });
      assertAudience(url, secrets, reach, pkg.id);
      const response = await client.send({
        ...{ method, url, reach, signal, credential: secrets.length > 0 },
        headers: { 'user-agent': 'toolwharf', ...headers },
        ...(body === undefined ? {} : { body }),
        limits: { wallMs: timeoutMs, bodyBytes: defaultOutputBytes },
      });
      return { status: response.status, text: response.body.toString('utf8') };
    },
    async announcedTools() {
      const names: string[] = [];
      for (const { name } of upstreamPrograms(pkg))
        await upstreams.withProgram(checked, name, async ({ announced }) => {
          names.push(...announced.tools.map((it) => it.name));
        });
      return names;
    },
    async upstreamTool(tool, args, { timeoutMs, signal }) {
      const slots = await values();
      for (const { name: program } of upstreamPrograms(pkg)) {
        const result = await upstreams.withProgram(checked, program, async (upstream) => {
          if (!upstream.announced.tools.some((it) => it.name === tool)) return undefined;
          return upstream.call({
            ...{ tool, input: args, name: `${pkg.id}: ${tool}`, callId: `smoke-${tool}`, timeoutMs, signal },
            outputBytes: defaultOutputBytes,
            caller: { agentId: setup.principal, sessionId: '' },
            onNetworkDenied: (places) => reportDenied(places, slots),
            assertCurrent: () => {},
          });
        });
        if (result !== undefined) return result;
      }
      throw new HostError('tool_not_found', `the server of ${pkg.id} offers no tool ${tool}`);
    },
  };
}
