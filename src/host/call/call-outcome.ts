import { asHostError, HostError } from '../../model/host-error.js';
import { maxAnswerDepth } from '../../model/json-bounds.js';
import { sizeOf } from '../../policy/input-shape.js';
import type { RunRequest, RunResult } from '../../run/run.js';
import type { Answer, Confirmation } from '../host.js';
import { answerStatusOf } from './answer.js';
import type { CallableTool } from './callable-tool.js';

/** How the run of a tool ended. */
export type CallOutcome =
  | { readonly kind: 'done'; readonly result: RunResult }
  /** An inner call waits for approval. */
  | { readonly kind: 'held'; readonly confirmation: Confirmation }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The status in the audit log. */
export function outcomeStatus(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'done':
      return 'ok';
    case 'held':
      return 'confirmation_required';
    case 'failed':
      return answerStatusOf(asHostError(outcome.error).code);
  }
}

/** For a timeout that the configuration sets: more time on the command line would not help. */
export function withTimeLimitHint(error: unknown): unknown {
  if (!(error instanceof HostError) || error.code !== 'timeout') return error;
  const hint =
    'limits.seconds in the configuration sets this limit; see where: toolwharf config list --show-origin';
  const { toolError } = error;
  return new HostError('timeout', error.message, {
    hint,
    cause: error,
    ...(toolError === undefined ? {} : { toolError }),
  });
}

/** Calls a tool for another tool, through the same call pipeline. */
export type InnerCall = (tool: string, request: RunRequest) => Promise<Answer>;

/** Runs a tool, or the tool it is composed of, and checks the result. Returns failures, never throws them. */
export async function runToOutcome(
  callable: CallableTool,
  callInner: InnerCall,
  request: RunRequest,
): Promise<CallOutcome> {
  try {
    const { action } = callable.tool;
    const composed =
      action?.kind === 'compose' ? await callInner(`${action.package}/${action.tool}`, request) : undefined;
    if (composed?.status === 'confirmation_required')
      return { kind: 'held', confirmation: composed.confirmation };
    const result = composed === undefined ? await callable.run(request) : composedResult(composed);
    await checkResult(callable, result);
    return { kind: 'done', result: await comparedResult(callable, result) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

function composedResult(answer: Exclude<Answer, { status: 'confirmation_required' }>): RunResult {
  if (answer.status === 'ok') {
    const { result, warnings, parts, structured, meta, binary } = answer;
    return {
      value: result,
      warnings,
      ...(binary === undefined ? {} : { binary }),
      ...(parts === undefined ? {} : { parts }),
      ...(structured === undefined ? {} : { structured }),
      ...(meta === undefined ? {} : { meta }),
    };
  }
  const { code, message, hint, toolError, toolResult } = answer.error;
  throw new HostError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(toolError === undefined ? {} : { toolError }),
    toolResult,
  });
}

async function checkResult(callable: CallableTool, result: RunResult): Promise<void> {
  if (sizeOf(result.value, maxAnswerDepth) === null) {
    throw new HostError(
      'tool_bad_output',
      `the answer of ${callable.name} is nested more than ${maxAnswerDepth} levels deep`,
    );
  }
  for (const validator of await callable.outputs()) {
    const checked = validator.check(result.value);
    if (checked.ok) continue;
    const errors = result.records === true ? checked.errors.map(aboutRecord) : checked.errors;
    throw new HostError(
      'invalid_output',
      `the answer of ${callable.name} does not match its output schema: ${errors.join('; ')}`,
      result.redacted === true
        ? { hint: 'secrets were removed from the answer, which may be why it no longer matches' }
        : {},
    );
  }
}

/** Counts records like lines: the place `1.n` is the member `n` of record 2. */
function aboutRecord(error: string): string {
  const name = (index: string) => `record ${Number(index) + 1}`;
  return error
    .replace(/^(\d+)\.(\S+) /, (_, index: string, place: string) => `${name(index)}: ${place} `)
    .replace(/^(\d+) /, (_, index: string) => `${name(index)} `)
    .replace(/ in (\d+)(?=\.|$)/, (_, index: string) => ` in ${name(index)}`);
}

/** Adds a warning if the result differs from what the tool describes. The result itself is kept. */
async function comparedResult(callable: CallableTool, result: RunResult): Promise<RunResult> {
  const checked = (await callable.describedOutput())?.check(result.value);
  if (checked === undefined || checked.ok) return result;
  const warning = `the answer of ${callable.name} differs from the output that its manifest describes: ${checked.errors.join('; ')}`;
  return { ...result, warnings: [...result.warnings, warning] };
}
