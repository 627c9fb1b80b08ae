import { hash } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { Package } from '../model/package.js';
import { shellQuote } from '../model/shell-quote.js';
import type { Slot } from '../model/slot.js';
import type { Tool } from '../model/tool.js';
import { applyDenial, denialFor } from '../policy/denial.js';
import { grantFor } from '../policy/grant.js';
import { guessesEnabled } from '../policy/guess-setting.js';
import { combineRules } from '../policy/requirements.js';
import { effectOf, rulesFor } from '../policy/tool-rules.js';
import type { RunRequest } from '../run/run.js';
import type { SchemaValidator } from '../schema/validator.js';
import { runAction } from './action-runner.js';
import { type CallableTool, notReadyError } from './callable-tool.js';
import type { CheckedPackage, PackageStatus } from './checked-package.js';
import { sandboxProbeFor } from './container-images.js';
import { credentialsDigest } from './credentials.js';
import { assertNoForeignSecrets } from './input-scan.js';
import { argumentKeepingFor } from './kept-arguments.js';
import type { NoticeTarget } from './notices.js';
import { withScannedOutput } from './output-scan.js';
import type { PackageUpstreams } from './package-upstreams.js';
import type { ProfileInputs } from './profile-inputs.js';
import { assertWorkspaceMountable, sandboxProfileFor } from './sandbox-profile.js';
import type { IsPublicSetting } from './secret-scanner.js';
import type { SessionServices, SessionSetup } from './session-services.js';
import { mintToken } from './sign-in.js';
import { type PassedEnvironment, slotValues } from './slots.js';
import { runsHere } from './upstream-program.js';
import type { OfferedTool } from './upstream-tools.js';

/**
 * A tool of a session. `needsReview`: its announcement changed, so it is not listed until the operator accepts that.
 */
export type SessionTool = CallableTool & { readonly checked: CheckedPackage; readonly needsReview: boolean };

/** What the tools of a session have in common. */
export interface SessionToolServices {
  readonly services: SessionServices;
  readonly setup: SessionSetup;
  readonly status: (checked: CheckedPackage) => Promise<PackageStatus>;
  readonly profileInputs: (packageId: string) => ProfileInputs;
  readonly isPublic: IsPublicSetting;
  readonly upstreams: PackageUpstreams;
}

const defaultOutputBytes = 10 * 1024 * 1024;

/** The variables and hosts that the operator granted to one package. */
export function passedEnvironment(
  { environment, grants, policy }: SessionSetup,
  packageId: string,
): PassedEnvironment {
  const denial = denialFor(policy.deny ?? [], packageId);
  const { network, environment: names } = applyDenial(grantFor(grants, packageId), denial);
  return {
    environment: Object.fromEntries(names.map((it) => [it, environment[it] as string])),
    network,
    denied: denial.network,
  };
}

/** Makes one tool of a package callable. Everything that can change is looked up for each call. */
export function createSessionTool(
  checked: CheckedPackage,
  { tool: declared, needsReview }: OfferedTool,
  exposed: string,
  { services, setup, status, profileInputs, isPublic, upstreams }: SessionToolServices,
): SessionTool {
  const { catalog } = checked.loaded;
  if (catalog === undefined) throw new Error('a broken package has no tools');
  const pkg = catalog.package;
  const name = `${pkg.id}/${declared.name}`;
  const { sandbox, schemas, vault, scanner, performer } = services;
  const { limits, rules = [] } = setup.policy;
  const tool = { ...declared, effect: effectOf(pkg.id, declared, rules) };
  const requirements = combineRules(rulesFor(pkg, tool, checked.loaded.file, rules));
  const usesProcess = startsProcess(pkg, tool);
  const { broker } = services;
  const signIn = { broker, vault, policy: setup.policy.broker ?? {}, principal: setup.principal };
  const mint = (slot: Slot) => mintToken(pkg, slot, signIn);
  const scanOptions = { isPublic, guesses: guessesEnabled(setup.policy.noGuesses, name) };
  let input: Promise<SchemaValidator> | undefined;
  let passed: PassedEnvironment | undefined;
  let outputs: Promise<readonly SchemaValidator[]> | undefined;
  return {
    name,
    exposed,
    checked,
    needsReview,
    package: pkg,
    file: checked.loaded.file,
    tool,
    digest: tool.action?.kind === 'upstream' ? announcedDigest(catalog.digest, declared) : catalog.digest,
    requirements,
    policy: setup.policyDigest,
    noticeTarget: noticeTargetOf(setup),
    credentials: () =>
      credentialsDigest(pkg, vault, passedEnvironment(setup, pkg.id), services.credentialKey),
    argumentKeeping: argumentKeepingFor(
      pkg,
      setup.policy.sealArguments,
      () => passedEnvironment(setup, pkg.id),
      scanner,
      isPublic,
    ),
    sandboxed: sandbox.isolates || checked.needs.every((it) => it.image !== undefined),
    context: {
      workspace: usesProcess && pkg.permissions.filesystem !== 'none' ? setup.root : null,
      allow: usesProcess || tool.action?.kind === 'http' ? setup.allow : [],
    },
    bounds: {
      wallMs: limits?.wallSeconds === undefined ? undefined : limits.wallSeconds * 1000,
      outputBytes: limits?.outputBytes ?? defaultOutputBytes,
    },
    async assertReady() {
      const current = await status(checked);
      if (current.state !== 'ready') throw notReadyError(name, current);
      if (needsReview)
        throw notReadyError(name, {
          state: 'needs-review',
          reasons: [
            'its announcement changed since you accepted it',
            `review it: toolwharf review ${shellQuote(pkg.id)} --dir ${shellQuote(checked.loaded.file)}`,
          ],
        });
      if (tool.action === null)
        throw notReadyError(name, {
          state: 'unavailable',
          reasons: ['its manifest defines no action for it'],
        });
    },
    async assertSandboxReady() {
      if (checked.needs.length === 0) return;
      const probe = await sandboxProbeFor(checked, services);
      if (probe.level === 'unavailable') {
        throw new HostError('sandbox_unavailable', `${name} cannot run: ${probe.reasons.join('; ')}`, {
          hint: probe.hint,
        });
      }
      if (usesProcess) assertWorkspaceMountable(checked, tool, profileInputs(pkg.id));
      // A missing sign-in must show before a person is asked, and must not use up an approval.
      if (pkg.slots.some((it) => it.source.kind === 'broker'))
        await slotValues(pkg, vault, passedEnvironment(setup, pkg.id), mint);
    },
    input() {
      input ??= schemas().then((it) => it.inputValidator(tool.input));
      return input;
    },
    outputs() {
      const declared = [tool.output, ...requirements.outputs.map((it) => it.value)].filter(
        (it) => it !== undefined,
      );
      if (declared.length === 0) return Promise.resolve([]);
      outputs ??= schemas().then((it) => declared.map((schema) => it.outputValidator(schema)));
      return outputs;
    },
    async checkForSecrets(args) {
      // Without the package's own values: only secrets of others matter here.
      await assertNoForeignSecrets(pkg, tool, args, await scanner.forCall(pkg, new Map(), scanOptions));
    },
    async run(request) {
      passed ??= passedEnvironment(setup, pkg.id);
      const { network: granted, denied } = passed;
      const slots = await slotValues(pkg, vault, passed, mint);
      const profile = () => sandboxProfileFor(checked, tool, slots, profileInputs(pkg.id));
      const callUpstream = (it: RunRequest) => upstreams.call(checked, it, slots);
      return withScannedOutput(await scanner.forCall(pkg, slots, scanOptions), request, (guarded) =>
        runAction(guarded, slots, { granted, denied }, profile, performer, callUpstream),
      );
    },
  };
}

/**
 * A webhook at a loopback or private address needs a grant: for all packages, or for the host itself
 * (`toolwharf=net:…`).
 */
function noticeTargetOf({ policy, grants }: SessionSetup): NoticeTarget | null {
  const { webhook } = policy;
  return webhook === undefined ? null : { url: webhook, granted: grantFor(grants, 'toolwharf').network };
}

/** Whether a call of the tool uses a process of the package, which may see the workspace. */
function startsProcess(pkg: Package, { action }: Tool): boolean {
  switch (action?.kind) {
    case 'exec':
    case 'function':
      return true;
    case 'upstream':
      return pkg.programs.some((it) => it.name === action.program && runsHere(it));
    default:
      return false;
  }
}

/** The digest of an announced tool covers its package and its announcement, so an approval is bound to both. */
function announcedDigest(packageDigest: string, tool: Tool): string {
  const known = announcedDigests.get(tool);
  if (known?.packageDigest === packageDigest) return known.digest;
  const digest = hash('sha256', `${packageDigest}\0${canonicalJson(tool as unknown as Json)}`);
  announcedDigests.set(tool, { packageDigest, digest });
  return digest;
}

/** So that a tool in several sessions is serialized once. */
const announcedDigests = new WeakMap<Tool, { readonly packageDigest: string; readonly digest: string }>();
