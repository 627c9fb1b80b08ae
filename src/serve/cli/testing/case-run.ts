import type { Answer, RemoteHost, RemoteSession } from '../../../host/host.js';
import type { CancelSignal } from '../../../model/cancel-signal.js';
import type { Package } from '../../../model/package.js';
import { confirmToolName } from '../../../model/tool-name.js';
import { answerDifferences } from './answer-difference.js';
import type { Outcome } from './cases-file.js';
import type { TestCase } from './test-case.js';

export interface CaseResult {
  readonly test: TestCase;
  /** `updated`: the saved answer was replaced. `skipped`: the case says so, or an example needs an approval. */
  readonly status: 'passed' | 'failed' | 'updated' | 'skipped';
  /** Why it did not pass, one sentence each. */
  readonly reasons: readonly string[];
  readonly durationMs: number;
  /** What to save, with `updated`. */
  readonly outcome?: Outcome;
}

export interface CaseContext {
  readonly host: RemoteHost;
  readonly session: RemoteSession;
  readonly package: Package;
  readonly principal: string;
  readonly signal: CancelSignal;
  readonly timeoutMs: number | undefined;
  /** Replace answers that differ. */
  readonly update: boolean;
  /** Cases may approve calls of destructive tools. */
  readonly approveDestructive: boolean;
}

/** Makes the call of one case, through the call pipeline like any other call, and compares its answer. */
export async function runCase(test: TestCase, context: CaseContext): Promise<CaseResult> {
  if (test.skip !== undefined) return { test, status: 'skipped', reasons: [test.skip], durationMs: 0 };
  const { session, package: pkg, signal, timeoutMs } = context;
  const tool = `${pkg.id}/${test.tool}`;
  const held = await session.call({ tool, arguments: test.arguments, signal, timeoutMs });
  const result = (
    status: CaseResult['status'],
    answer: Answer,
    reasons: readonly string[],
    outcome?: Outcome,
  ): CaseResult => ({
    ...{ test, status, reasons, durationMs: answer.durationMs },
    ...(outcome === undefined ? {} : { outcome }),
  });
  const reason = held.status === 'confirmation_required' ? whyNotApproved(test, context) : undefined;
  if (reason !== undefined) return result(isOwnExample(test) ? 'skipped' : 'failed', held, [reason]);
  const answer = await approved(held, context);
  const outcome = outcomeOf(answer);
  const reasons = differences(test, answer, outcome);
  if (reasons.length === 0) return result('passed', answer, []);
  // The answers of examples are in the manifest, which is never written.
  const saves = context.update && test.example === undefined && outcome !== undefined;
  return saves ? result('updated', answer, [], outcome) : result('failed', answer, reasons);
}

function isOwnExample({ index }: TestCase): boolean {
  return index === undefined;
}

function whyNotApproved(test: TestCase, context: CaseContext): string | undefined {
  if (!test.approve) return `the call needs a person's approval; state it in a saved case: "approve": true`;
  const tool = context.package.tools.find((it) => it.name === test.tool);
  if (tool?.effectDeclared === true && tool.effect === 'destructive' && !context.approveDestructive)
    return 'the tool is destructive, so "approve" counts only with --approve-destructive';
  return undefined;
}

async function approved(held: Answer, { host, session, principal, signal }: CaseContext): Promise<Answer> {
  if (held.status !== 'confirmation_required') return held;
  const { token } = held.confirmation;
  await host.approvals.approve(token, { name: principal, channel: 'terminal' });
  return session.call({ tool: confirmToolName, arguments: { confirmation_token: token }, signal });
}

/** What a call answered, as a case can expect it; undefined if it must not be saved. */
function outcomeOf(answer: Answer): Outcome | undefined {
  if (answer.status === 'ok') return { answer: answer.result };
  if (answer.status === 'confirmation_required' || answer.error.code === 'canceled') return undefined;
  return { error: answer.error.code };
}

function differences(
  { answer: expected, error, ignore, example }: TestCase,
  answer: Answer,
  outcome: Outcome | undefined,
): readonly string[] {
  if (outcome !== undefined && 'answer' in outcome) {
    if (error !== undefined) return [`expected the error ${error}, got an answer`];
    if (expected !== undefined) return answerDifferences(expected, outcome.answer, ignore);
    return example === undefined ? ['no answer is saved; save it with --update'] : [];
  }
  const text =
    answer.status === 'ok' || answer.error === undefined
      ? 'the call is held'
      : `${answer.error.code}: ${answer.error.message}`;
  if (error === undefined) return [text];
  return outcome?.error === error ? [] : [`expected the error ${error}, got ${text}`];
}
