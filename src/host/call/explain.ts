// Explains what would happen to a call and which rules decide it, without running anything.
import { callAccessOf } from '../../model/call-access.js';
import { asHostError, type HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonSchema } from '../../model/json.js';
import type { Rule, RuleOrigin } from '../../model/rule.js';
import { parseExemption } from '../../model/scan-exemption.js';
import { serverRequestsOf } from '../../model/server-request.js';
import { isSupportFact } from '../../model/support-facts.js';
import { splitToolName } from '../../model/tool-name.js';
import type { Waiver } from '../../model/waiver.js';
import { assertNotDenied, parseDestination } from '../../net/destination.js';
import { type Decision, decide, type Reason } from '../../policy/decide.js';
import { applyDenial, type Denial, denialFor } from '../../policy/denial.js';
import { grantFor } from '../../policy/grant.js';
import { guessesEnabled } from '../../policy/rules/guess-setting.js';
import type { Requirement } from '../../policy/rules/requirements.js';
import { matchesToolName } from '../../policy/rules/tool-rules.js';
import { exemptionCheck, exemptionText } from '../../policy/scan/exemption.js';
import type { TaintHold } from '../../policy/taint/taint-verdict.js';
import type { LimitLedger } from '../../store/limit-ledger.js';
import type {
  ExplainedFinding,
  ExplainedLimit,
  ExplainedPermissions,
  ExplainRequest,
  Explanation,
} from '../host.js';
import { fileAccess } from '../sandboxing/sandbox-profile.js';
import type { SessionSetup } from '../session-setup.js';
import { judged } from './call-labels.js';
import type { CallServices } from './call-services.js';
import type { CallableTool } from './callable-tool.js';
import { type Caller, killSubjectOf } from './caller.js';
import { evidenceOf, taintEvidence } from './evidence.js';
import { type FrozenCall, freezeCall } from './frozen-call.js';
import { assertWithinLimits, metersForAmount, type RuleMeter } from './limits.js';

export async function explainCall(
  request: ExplainRequest,
  caller: Caller,
  setup: SessionSetup,
  services: CallServices,
): Promise<Explanation> {
  const { result } = request;
  const callable = await caller.resolve(request.tool);
  const { tool, package: pkg, requirements } = callable;
  const denial = denialFor(setup.policy.deny ?? [], pkg.id);
  const verdict = await verdictOn(callable, request, caller, denial, services);
  return {
    tool: callable.name,
    ...verdict,
    taint: {
      mode: callable.taintMode,
      untrusted: (await caller.labels()).label.integrity === 'untrusted',
      inputs: Object.fromEntries(callable.labels.inputs),
    },
    effect: { value: tool.effect, declared: tool.effectDeclared },
    untrustedInputs: tool.untrustedInputs,
    trusted: (setup.policy.trusted ?? []).some((it) => matchesToolName(it, callable.name)),
    inactive: setup.waivers
      .filter((it) => !services.waivers.isActive(it.id) && concerns(it, callable.name))
      .map(({ id, text, origin }) => ({ id, text, origin })),
    policy: setup.policyDigest,
    permissions: permissionsOf(callable, setup, denial),
    limits: await limitsOf(callable, caller.principal, services.limits),
    guardrails: {
      denyPatterns: requirements.denyPatterns.map(sourced),
      redact: requirements.rules.flatMap((rule) =>
        (rule.redact ?? []).map((value) => ({ value, origin: rule.origin })),
      ),
      outputs: requirements.outputs.map(sourced<JsonSchema>),
      guesses: guessesEnabled(setup.policy.noGuesses, callable.name),
      exempt: (setup.policy.scanExempt ?? []).filter((it) => parseExemption(it)?.tool === callable.name),
    },
    ...(result === undefined ? {} : { findings: await explainFindings(callable, result, setup) }),
    ...(pkg.smoke === undefined ? {} : { smoke: pkg.smoke }),
    ...(pkg.cost === undefined ? {} : { cost: pkg.cost }),
    support: pkg.facts.filter(isSupportFact),
  };
}

/** What the scanner would remove from an answer of the tool, where and why. */
async function explainFindings(
  callable: CallableTool,
  result: Json,
  { policy }: SessionSetup,
): Promise<ExplainedFinding[]> {
  const isExempt = exemptionCheck(policy.scanExempt ?? [], callable.name);
  const found = (await callable.findingsIn(result)).map(({ path = '', ...it }): ExplainedFinding => {
    if (it.kind === 'value') return { path, rule: it.name, reason: 'value', exempt: false };
    return {
      path,
      rule: it.name,
      reason: it.guess ? 'guess' : 'format',
      exempt: isExempt?.(path, it.name) === true,
      setting: exemptionText(callable.name, path, it.name),
    };
  });
  return [...new Map(found.map((it) => [`${it.path} ${it.rule}`, it])).values()];
}

/** Whether a waiver could change something for a tool. */
function concerns({ kind, content }: Waiver, name: string): boolean {
  switch (kind) {
    case 'rule':
      return isObject(content) && matchesToolName(String(content.tool), name);
    case 'trusted':
    case 'no-guesses':
      return matchesToolName(String(content), name);
    case 'notify':
    case 'durability':
    case 'quarantine':
    case 'expired-registry':
      return false;
    case 'server-request':
      return serverRequestsOf([String(content)], splitToolName(name)[0] ?? '').length > 0;
    case 'scan-exempt':
      return String(content).startsWith(`${name} `);
    case 'grant': {
      const owner = /^([A-Za-z0-9][\w.-]*)=/.exec(String(content))?.[1];
      return owner === undefined || owner === splitToolName(name)[0];
    }
    default:
      return true;
  }
}

type Verdict = Pick<Explanation, 'verdict' | 'code' | 'because' | 'seen' | 'evidence' | 'problems'>;

/** Why the call would wait because of what the session has seen. Nothing is noted or audited. */
async function heldFor(caller: Caller, frozen: FrozenCall): Promise<TaintHold | undefined> {
  const verdict = await judged({ id: 'explained', caller }, frozen);
  return verdict.kind === 'hold' ? verdict.hold : undefined;
}

/** Operations that explain are for operators, so the person sees the evidence. */
function seenIn(hold: TaintHold | undefined): Pick<Explanation, 'seen'> {
  return hold === undefined
    ? {}
    : { seen: hold.findings.map(({ rule, pointer, forPerson: text }) => ({ rule, pointer, text })) };
}

/** Goes through the call pipeline as far as possible without any effect. */
async function verdictOn(
  callable: CallableTool,
  { arguments: args, isTyped }: ExplainRequest,
  caller: Caller,
  denial: Denial,
  services: CallServices,
): Promise<Verdict> {
  let frozen: FrozenCall | undefined;
  try {
    services.kills.assertNotKilled(killSubjectOf(caller, callable));
    if (args === undefined) await callable.assertReady();
    else frozen = await freezeCall(services, caller, callable.name, args);
    assertDestinationAllowed(callable, denial);
    const taint = frozen === undefined || isTyped === true ? undefined : await heldFor(caller, frozen);
    const quarantine = await callable.releaseConcerns();
    const decision = decide({ ...callable, input: frozen?.input, taint, quarantine });
    if (decision.kind !== 'deny') {
      const meters = frozen?.meters ?? metersForAmount(caller.principal, callable, 0);
      await assertWithinLimits(services.limits, meters);
    }
    const { because, ...verdict } = verdictOf(decision);
    const unknown = callable.unknown.map((text) => ({ text, origin: { kind: 'built-in' as const } }));
    return {
      ...verdict,
      because: [...because, ...unknown],
      ...seenIn(taint),
      ...(frozen === undefined
        ? {}
        : { evidence: [...evidenceOf(callable, frozen.input), ...taintEvidence(taint)] }),
    };
  } catch (error) {
    const hostError = asHostError(error);
    const { code, message: text, problems } = hostError;
    if (code === 'internal') throw error;
    return {
      ...{ verdict: verdictFor(code), code, because: [{ text, origin: originOf(hostError, callable) }] },
      ...(problems === undefined ? {} : { problems }),
    };
  }
}

function verdictOf(decision: Decision): Verdict {
  const because: readonly Reason[] =
    decision.because.length > 0
      ? decision.because
      : [{ text: 'no rule denies it or asks for approval', origin: { kind: 'built-in' } }];
  return { verdict: decision.kind, because };
}

function verdictFor(code: HostError['code']): Explanation['verdict'] {
  switch (code) {
    case 'rate_limited':
    case 'spend_limit':
      return 'limit';
    case 'guardrail':
    case 'killed':
    case 'disabled':
    case 'needs_review':
    case 'network_denied':
      return 'deny';
    case 'invalid_input':
      return 'invalid';
    default:
      return 'not-ready';
  }
}

/** An error carries the rule that caused it. Invalid arguments come from the manifest's schema. */
function originOf({ code, cause }: HostError, { file }: CallableTool): RuleOrigin {
  if (isObject(cause) && isObject(cause.origin)) return (cause as unknown as Rule).origin;
  return code === 'invalid_input' ? { kind: 'manifest', file } : { kind: 'built-in' };
}

/** An HTTP action whose only destination is denied would fail at the very end; this reports it at once. */
function assertDestinationAllowed({ tool }: CallableTool, { network }: Denial): void {
  if (tool.action?.kind !== 'http') return;
  assertNotDenied(parseDestination(tool.action.url.origin), { hosts: [], granted: [], denied: network });
}

function permissionsOf(
  { package: pkg, tool }: CallableTool,
  { grants, policy, root }: SessionSetup,
  denial: Denial,
): ExplainedPermissions {
  const grant = applyDenial(grantFor(grants, pkg.id), denial);
  const filesystem = fileAccess(pkg, tool, denial);
  const network = denial.noNetwork ? ({ kind: 'none' } as const) : callAccessOf(pkg, tool).network;
  return {
    network,
    filesystem,
    ...(tool.access === undefined ? {} : { narrowedTo: tool.scopes ?? [] }),
    ...(filesystem === 'none' ? {} : { root }),
    roots: policy.roots ?? null,
    granted: {
      network: network.kind === 'none' ? [] : grant.network,
      read: filesystem === 'none' ? [] : grant.read,
      write: filesystem === 'none' ? [] : grant.write,
      environment: grant.environment,
    },
    denied: [...(policy.deny ?? [])],
  };
}

async function limitsOf(
  callable: CallableTool,
  principal: string,
  ledger: LimitLedger,
): Promise<ExplainedLimit[]> {
  const { maxLength, maxAmount, askAbove } = callable.requirements;
  const fixed = (
    kind: ExplainedLimit['kind'],
    requirement: Requirement<number> | undefined,
  ): ExplainedLimit[] =>
    requirement === undefined ? [] : [{ kind, most: requirement.value, origin: requirement.rule.origin }];
  const meters = metersForAmount(principal, callable, 0);
  const readings = meters.length === 0 ? [] : await ledger.read(meters.map((it) => it.meter));
  return [
    ...fixed('length', maxLength),
    ...fixed('amount', maxAmount),
    ...fixed('ask_above', askAbove),
    ...readings.map(({ meter, used }, index): ExplainedLimit => {
      const { requirement } = meters[index] as RuleMeter;
      return {
        kind: meter.kind === 'calls' ? 'rate' : 'spend',
        most: meter.max,
        per: requirement.value.per,
        left: Math.max(0, meter.max - used),
        origin: requirement.rule.origin,
      };
    }),
  ];
}

function sourced<T>({ value, rule }: Requirement<T>): { readonly value: T; readonly origin: RuleOrigin } {
  return { value, origin: rule.origin };
}
