import { callAccessOf } from '../../model/call-access.js';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { Slot } from '../../model/slot.js';
import { definitionWithView } from '../../model/tool-set.js';
import { alwaysDenies } from '../../policy/decide.js';
import { guessesEnabled } from '../../policy/rules/guess-setting.js';
import { combineRules } from '../../policy/rules/requirements.js';
import { effectOf, rulesFor } from '../../policy/rules/tool-rules.js';
import { exemptionCheck } from '../../policy/scan/exemption.js';
import type { CheckValue } from '../../policy/sets/fixed-schema.js';
import type { RunRequest } from '../../run/run.js';
import { isUpstreamFailure } from '../../run/upstream/failure-class.js';
import type { SchemaValidator } from '../../schema/validator.js';
import { runAction } from '../call/action-runner.js';
import { type CallableTool, notReadyError } from '../call/callable-tool.js';
import { assertNoForeignSecrets } from '../call/input-scan.js';
import { argumentKeepingFor } from '../call/kept-arguments.js';
import { withScannedOutput } from '../call/output-scan.js';
import type { IsPublicSetting } from '../call/secret-scanner.js';
import { toolTaint } from '../call/tool-labels.js';
import type { ListedTool } from '../host.js';
import { noticeTargetsOf } from '../operator/session-notice-targets.js';
import type { SetInForce } from '../operator/tool-sets.js';
import type { CheckedPackage, PackageStatus } from '../packages/checked-package.js';
import { sandboxProbeFor } from '../packages/image-status.js';
import { holdingConcerns } from '../packages/release-watch.js';
import { credentialsDigest } from '../sandboxing/credentials.js';
import { type PassedEnvironment, passedEnvironment } from '../sandboxing/passed-environment.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import { assertWorkspaceMountable, sandboxProfileFor } from '../sandboxing/sandbox-profile.js';
import { mintToken } from '../sandboxing/sign-in.js';
import { slotValues } from '../sandboxing/slots.js';
import { onlyLooks, type SessionSetup } from '../session-setup.js';
import { defaultOutputBytes } from '../session-waivers.js';
import type { PackageUpstreams } from '../upstream/package-upstreams.js';
import type { OfferedTool } from '../upstream/upstream-tools.js';
import { exposedNames } from './exposed-names.js';
import type { SessionServices } from './session-services.js';
import { nothingReached, startsProcess, toolReach } from './tool-reach.js';
import { type SessionToolView, toolViews } from './tool-view.js';
import { watchedRequest } from './watched-request.js';

/**
 * A tool of a session. `needsReview`: its announcement changed, so it is not listed until the operator accepts that.
 */
export type SessionTool = CallableTool & {
  readonly checked: CheckedPackage;
  readonly needsReview: boolean;
  /** How the set of the session shows it. */
  readonly view: SessionToolView;
};

/** What the tools of a session have in common. */
export interface SessionToolServices {
  readonly services: SessionServices;
  readonly setup: SessionSetup;
  readonly status: (checked: CheckedPackage) => Promise<PackageStatus>;
  readonly profileInputs: (packageId: string) => ProfileInputs;
  readonly isPublic: IsPublicSetting;
  readonly upstreams: PackageUpstreams;
  /** The set of the session; null if it has none. */
  readonly set: SetInForce | null;
  readonly check: CheckValue;
}

/** The tools of all packages. A second package with the same id has none: its tools would have no unique names. */
export function createSessionTools(
  packages: readonly CheckedPackage[],
  context: SessionToolServices,
): SessionTool[] {
  const ids = new Set<string>();
  const listed = packages.flatMap((it) => {
    const pkg = it.loaded.catalog?.package;
    if (pkg === undefined || ids.has(pkg.id)) return [];
    ids.add(pkg.id);
    const { tools } = context.upstreams.offer(it);
    return tools.map((offered) => ({ checked: it, pkg, offered, only: tools.length === 1 }));
  });
  const names = exposedNames(
    listed.map(({ pkg, offered, only }) => ({ packageId: pkg.id, tool: offered.tool.name, only })),
  );
  const views = toolViews(
    listed.map(({ pkg, offered: { tool } }, index) => ({
      ...{ packageId: pkg.id, tool, exposed: names[index] as string },
    })),
    context.set,
    context.check,
  );
  return listed.map(({ checked: it, offered }, index) =>
    createSessionTool(it, offered, views[index] as SessionToolView, context),
  );
}

/** The tools that can be called now, sorted by name. */
export function listedTools(
  tools: readonly SessionTool[],
  isUsable: (tool: SessionTool) => boolean,
): readonly ListedTool[] {
  return tools
    .filter(({ checked, tool, needsReview, view: { problem } }) => {
      return problem === undefined && !checked.unanswered.has(tool.name) && !needsReview;
    })
    .filter((it) => !alwaysDenies(it.requirements) && isUsable(it))
    .map(({ name, exposed, tool: { effect }, digest, view: { shown, renamed, fixed } }) => ({
      ...{ name, exposed, tool: { ...shown, effect }, definition: digest },
      ...(renamed ? { renamed } : {}),
      ...(Object.keys(fixed).length === 0 ? {} : { fixed }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Makes one tool of a package callable. Everything that can change is looked up for each call. */
function createSessionTool(
  checked: CheckedPackage,
  { tool: declared, needsReview }: OfferedTool,
  view: SessionToolView,
  { services, setup, status, profileInputs, isPublic, upstreams, set }: SessionToolServices,
): SessionTool {
  const { catalog } = checked.loaded;
  if (catalog === undefined) throw new Error('a broken package has no tools');
  const pkg = catalog.package;
  const name = `${pkg.id}/${declared.name}`;
  const { schemas, actions, sandboxing, startTrials } = services;
  const { installed } = checked.loaded;
  const { vault, scanner, broker, credentialKey } = services.secrets;
  const { limits, rules = [] } = setup.policy;
  const tool = { ...declared, effect: effectOf(pkg.id, declared, rules) };
  const usesProcess = startsProcess(pkg, tool);
  const access = callAccessOf(pkg, declared);
  const reach = usesProcess ? toolReach(pkg, access, setup) : nothingReached;
  const requirements = combineRules(rulesFor(pkg, tool, checked.loaded.file, rules, reach));
  const signIn = {
    ...{ broker, vault, policy: setup.policy.broker ?? {}, principal: setup.principal },
    certificates: setup.policy.caCertificates,
  };
  const mint = (slot: Slot) => mintToken(pkg, slot, signIn);
  const scanOptions = {
    isPublic,
    guesses: guessesEnabled(setup.policy.noGuesses, name),
    isExempt: exemptionCheck(setup.policy.scanExempt ?? [], name),
  };
  let input: Promise<SchemaValidator> | undefined;
  let passed: PassedEnvironment | undefined;
  const currentSlots = () => {
    passed ??= passedEnvironment(setup, pkg.id);
    return slotValues(pkg, vault, passed, mint);
  };
  let outputs: Promise<readonly SchemaValidator[]> | undefined;
  let described: Promise<SchemaValidator> | undefined;
  return {
    name,
    exposed: view.exposed,
    checked,
    needsReview,
    view,
    set: set === null ? null : { name: set.name, digest: set.digest, fixed: view.fixed },
    ...{ package: pkg, file: checked.loaded.file, tool },
    unknown: tool.action?.kind === 'upstream' ? upstreams.unknownTools(checked) : [],
    digest: definitionWithView(
      tool.action?.kind === 'upstream'
        ? services.upstreams.offers.digestOf(catalog.digest, declared)
        : catalog.digest,
      view.digest,
    ),
    requirements,
    ...toolTaint(pkg, tool, { name, access, reach, setup }),
    policy: setup.policyDigest,
    noticeTargets: noticeTargetsOf(setup),
    credentials: () => credentialsDigest(pkg, vault, passedEnvironment(setup, pkg.id), credentialKey),
    argumentKeeping: argumentKeepingFor(
      pkg,
      setup.policy.sealArguments,
      () => passedEnvironment(setup, pkg.id),
      scanner,
      isPublic,
    ),
    auditDurability: setup.policy.auditDurability ?? 'call',
    keyStorage: setup.policy.vaultKey,
    sandboxed: sandboxing.sandbox.isolates || checked.needs.every((it) => it.image !== undefined),
    context: {
      workspace: usesProcess && access.filesystem !== 'none' ? setup.root : null,
      allow: usesProcess || tool.action?.kind === 'http' ? setup.allow : [],
    },
    bounds: {
      wallMs: limits?.wallSeconds === undefined ? undefined : limits.wallSeconds * 1000,
      outputBytes: limits?.outputBytes ?? defaultOutputBytes,
    },
    releaseConcerns: () => holdingConcerns(installed, setup.policy, services.releaseWatch),
    async assertReady() {
      const current = await status(checked);
      if (current.state !== 'ready') throw notReadyError(name, current);
      const outdated = needsReview ? upstreams.outdatedReason(checked, declared) : undefined;
      if (outdated !== undefined)
        throw notReadyError(name, {
          state: 'needs-review',
          reasons: [
            outdated,
            `review it: toolwharf review ${shellQuote(pkg.id)} --dir ${shellQuote(checked.loaded.file)}`,
          ],
        });
      const unanswered = checked.unanswered.get(tool.name) ?? view.problem;
      if (unanswered !== undefined)
        throw notReadyError(name, { state: 'unavailable', reasons: [unanswered] });
    },
    async compareAgain(deadline) {
      if (!needsReview || (await status(checked)).state !== 'ready') return;
      try {
        await upstreams.compareAgain({ checked, tool: declared, slots: await currentSlots() }, deadline);
      } catch (error) {
        // The tool still needs review, which is what the caller has to know.
        if (!isUpstreamFailure(error)) throw error;
      }
    },
    async assertUnchanged(deadline) {
      if (tool.action?.kind !== 'upstream') return;
      await upstreams.assertUnchanged({ checked, tool: declared, slots: await currentSlots() }, deadline);
    },
    async assertSandboxReady() {
      if (checked.needs.length === 0) return;
      const probe = await sandboxProbeFor(checked, sandboxing);
      if (probe.level === 'unavailable') {
        const why = `${name} cannot run: ${probe.reasons.join('; ')}`;
        throw await startTrials.failed(
          installed,
          new HostError('sandbox_unavailable', why, { hint: probe.hint }),
        );
      }
      if (usesProcess) await assertWorkspaceMountable(checked, tool, profileInputs(pkg.id));
      // A missing sign-in must show before a person is asked, and must not use up an approval.
      if (pkg.slots.some((it) => it.source.kind === 'broker'))
        await slotValues(pkg, vault, passedEnvironment(setup, pkg.id), mint);
    },
    notStarted: (error) => startTrials.failed(installed, error),
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
    async describedOutput() {
      const { describedOutput } = tool;
      if (describedOutput === undefined) return undefined;
      described ??= schemas().then((it) => it.outputValidator(describedOutput));
      return described;
    },
    async findingsIn(result) {
      const scan = await scanner.forCall(pkg, new Map(), scanOptions);
      return scan.findingsIn([result, [], null, null, null]);
    },
    async checkForSecrets(args) {
      // Without the package's own values: only secrets of others matter here.
      await assertNoForeignSecrets(pkg, tool, args, await scanner.forCall(pkg, new Map(), scanOptions));
    },
    async run(request) {
      if (setup.intent !== 'use') throw onlyLooks(`run ${name}`);
      const slots = await currentSlots();
      passed ??= passedEnvironment(setup, pkg.id);
      const { network: granted, denied, certificates } = passed;
      const makeProfile = () => sandboxProfileFor(checked, tool, slots, profileInputs(pkg.id));
      const callUpstream = (it: RunRequest) => upstreams.call({ checked, tool: declared, slots }, it);
      const watched = watchedRequest(request, { network: access.network, granted, denied }, slots, {
        violations: services.violations,
        setup,
      });
      const scan = await scanner.forCall(pkg, slots, scanOptions);
      // The start of an upstream is watched where it is opened.
      const place = usesProcess && tool.action?.kind !== 'upstream' ? installed : undefined;
      try {
        const result = await withScannedOutput(scan, watched, (guarded) =>
          sandboxing.fileWatch.around(
            pkg.id,
            tool.action?.kind !== 'exec',
            (onProfile) => {
              const profile = async () => {
                const made = await makeProfile();
                onProfile(made.profile);
                return made;
              };
              const operatorReach = { granted, denied, certificates };
              return runAction(guarded, slots, operatorReach, profile, actions, callUpstream);
            },
            (folders) => guarded.onFilesChanged?.(folders),
          ),
        );
        await startTrials.started(place);
        return result;
      } catch (error) {
        throw await startTrials.failed(place, error);
      }
    },
  };
}
