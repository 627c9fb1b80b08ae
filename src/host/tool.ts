import { hash } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { Package } from '../model/package.js';
import { shellWord } from '../model/shell-word.js';
import type { Slot } from '../model/slot.js';
import type { Tool } from '../model/tool.js';
import { combine } from '../policy/combine.js';
import { denialFor, without } from '../policy/denial.js';
import { grantFor } from '../policy/grant.js';
import { guessesIn } from '../policy/guesses.js';
import { effectOf, rulesFor } from '../policy/rules.js';
import type { RunRequest } from '../run/run.js';
import type { SchemaValidator } from '../schema/validator.js';
import { credentialsDigest } from './credentials.js';
import { verdictFor } from './images.js';
import { refuseSecrets } from './input-scan.js';
import { keepingOf } from './kept-arguments.js';
import type { NoticePlace } from './notices.js';
import { withScannedOutput } from './output-scan.js';
import type { PackageUpstreams } from './package-upstreams.js';
import { perform } from './perform.js';
import type { Judged, PackageStatus } from './readiness.js';
import { assertWorkspace, type ProfileInputs, sandboxProfileFor } from './sandbox-profile.js';
import type { IsPublic } from './scanner.js';
import { type CallableTool, notReady } from './served-tool.js';
import type { SessionServices, SessionSetup } from './session-services.js';
import { mintedToken } from './sign-in.js';
import { type Passed, slotValues } from './slots.js';
import { runsHere } from './upstream-program.js';
import type { OfferedTool } from './upstream-tools.js';

/** `held`: listed to nobody until somebody agreed to what its program says of it. */
export type ServedTool = CallableTool & { readonly judged: Judged; readonly held: boolean };

/** What a tool is called with in its session. */
export interface ToolServices {
  readonly machinery: SessionServices;
  readonly setup: SessionSetup;
  readonly standing: (judged: Judged) => Promise<PackageStatus>;
  readonly lending: (packageId: string) => ProfileInputs;
  readonly isPublic: IsPublic;
  readonly announcing: PackageUpstreams;
}

const defaultOutputBytes = 10 * 1024 * 1024;

/** What of the operator's variables and hosts is for one package. */
export function passedIn({ environment, grants, policy }: SessionSetup, packageId: string): Passed {
  const denial = denialFor(policy.deny ?? [], packageId);
  const { network, environment: names } = without(grantFor(grants, packageId), denial);
  return {
    environment: Object.fromEntries(names.map((it) => [it, environment[it] as string])),
    network,
    denied: denial.network,
  };
}

/** One tool of a package, ready to be asked. Everything that can change is looked up when it is asked. */
export function serveTool(
  judged: Judged,
  { tool: declared, held }: OfferedTool,
  exposed: string,
  { machinery, setup, standing, lending, isPublic, announcing }: ToolServices,
): ServedTool {
  const { catalog } = judged.loaded;
  if (catalog === undefined) throw new Error('a broken package serves no tools');
  const of = catalog.package;
  const name = `${of.id}/${declared.name}`;
  const { sandbox, schemas, vault, scanner, performer } = machinery;
  const { limits, rules = [] } = setup.policy;
  const tool = { ...declared, effect: effectOf(of.id, declared, rules) };
  const demands = combine(rulesFor(of, tool, judged.loaded.file, rules));
  const runs = startsProcess(of, tool);
  const { broker } = machinery;
  const signIn = { broker, vault, policy: setup.policy.broker ?? {}, principal: setup.principal };
  const mint = (slot: Slot) => mintedToken(of, slot, signIn);
  const scanned = { isPublic, guesses: guessesIn(setup.policy.noGuesses, name) };
  let input: Promise<SchemaValidator> | undefined;
  let passed: Passed | undefined;
  let outputs: Promise<readonly SchemaValidator[]> | undefined;
  return {
    name,
    exposed,
    judged,
    held,
    package: of,
    file: judged.loaded.file,
    tool,
    digest: tool.action?.kind === 'upstream' ? announcedDigest(catalog.digest, declared) : catalog.digest,
    demands,
    policy: setup.policyDigest,
    notice: noticePlace(setup),
    credentials: () => credentialsDigest(of, vault, passedIn(setup, of.id), machinery.credentialKey),
    keeping: keepingOf(of, setup.policy.sealArguments, () => passedIn(setup, of.id), scanner, isPublic),
    confined: sandbox.confines || judged.needs.every((it) => it.image !== undefined),
    setting: {
      workspace: runs && of.permissions.filesystem !== 'none' ? setup.root : null,
      allow: runs || tool.action?.kind === 'http' ? setup.allow : [],
    },
    bounds: {
      wallMs: limits?.wallSeconds === undefined ? undefined : limits.wallSeconds * 1000,
      outputBytes: limits?.outputBytes ?? defaultOutputBytes,
    },
    async assertReady() {
      const now = await standing(judged);
      if (now.state !== 'ready') throw notReady(name, now);
      if (held)
        throw notReady(name, {
          state: 'needs-review',
          reasons: [
            'its program says something else of it than what you agreed to',
            `look at it, and agree or not: toolwharf review ${shellWord(of.id)} --dir ${shellWord(judged.loaded.file)}`,
          ],
        });
      if (tool.action === null)
        throw notReady(name, { state: 'unavailable', reasons: ['its manifest does not say what it does'] });
    },
    async assertConfined() {
      if (judged.needs.length === 0) return;
      const verdict = await verdictFor(judged, machinery);
      if (verdict.level === 'unavailable') {
        throw new HostError('sandbox_unavailable', `${name} is not run: ${verdict.reasons.join('; ')}`, {
          hint: verdict.hint,
        });
      }
      if (runs) assertWorkspace(judged, tool, lending(of.id));
      // Nobody is asked to approve what lacks a sign-in, and no approval is used up by it.
      if (of.slots.some((it) => it.source.kind === 'broker'))
        await slotValues(of, vault, passedIn(setup, of.id), mint);
    },
    input() {
      input ??= schemas().then((it) => it.inputValidator(tool.input));
      return input;
    },
    outputs() {
      const declared = [tool.output, ...demands.outputs.map((it) => it.value)].filter(
        (it) => it !== undefined,
      );
      if (declared.length === 0) return Promise.resolve([]);
      outputs ??= schemas().then((it) => declared.map((schema) => it.outputValidator(schema)));
      return outputs;
    },
    async screen(given) {
      // Its own values are no matter here.
      await refuseSecrets(of, tool, given, await scanner.forCall(of, new Map(), scanned));
    },
    async run(request) {
      const given = passed ?? passedIn(setup, of.id);
      passed = given;
      const slots = await slotValues(of, vault, given, mint);
      const confined = () => sandboxProfileFor(judged, tool, slots, lending(of.id));
      const remote = (it: RunRequest) => announcing.call(judged, it, slots);
      return withScannedOutput(await scanner.forCall(of, slots, scanned), request, (guarded) =>
        perform(
          guarded,
          slots,
          { granted: given.network, denied: given.denied },
          confined,
          performer,
          remote,
        ),
      );
    },
  };
}

/** Loopback and private addresses need a grant there too: one for all, or one of its own (`toolwharf=net:…`). */
function noticePlace({ policy, grants }: SessionSetup): NoticePlace | null {
  const { webhook } = policy;
  return webhook === undefined ? null : { url: webhook, granted: grantFor(grants, 'toolwharf').network };
}

/** Whether a call of the tool makes a process of the package see the workspace. */
function startsProcess(of: Package, { action }: Tool): boolean {
  switch (action?.kind) {
    case 'exec':
    case 'function':
      return true;
    case 'upstream':
      return of.programs.some((it) => it.name === action.program && runsHere(it));
    default:
      return false;
  }
}

/** What a person agrees to includes what the program said of the tool. */
function announcedDigest(digest: string, tool: Tool): string {
  const known = digests.get(tool);
  if (known?.of === digest) return known.digest;
  const made = hash('sha256', `${digest}\0${canonicalJson(tool as unknown as Json)}`);
  digests.set(tool, { of: digest, digest: made });
  return made;
}

/** A tool that several sessions list is spelled out once. */
const digests = new WeakMap<Tool, { readonly of: string; readonly digest: string }>();
