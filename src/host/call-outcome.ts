import { asHostError, HostError } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import type { RunRequest, RunResult } from '../run/run.js';
import { statusOf } from './answer.js';
import type { Answer, Confirmation } from './host.js';
import type { CallableTool } from './served-tool.js';
import { sizeOf } from './shape.js';

const maxAnswerDepth = 200;

/** How the run of a tool ended. */
export type CallOutcome =
  | { readonly kind: 'done'; readonly result: RunResult }
  /** A tool further down waits for a person. */
  | { readonly kind: 'held'; readonly confirmation: Confirmation }
  | { readonly kind: 'failed'; readonly error: unknown };

/** What the record says of it. */
export function statusIn(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'done':
      return 'ok';
    case 'held':
      return 'confirmation_required';
    case 'failed':
      return statusOf(asHostError(outcome.error).code);
  }
}

/** Where the configuration allows no more time, asking for more on the command line does not help. */
export function cappedTime(error: unknown): unknown {
  if (!(error instanceof HostError) || error.code !== 'timeout') return error;
  const hint =
    'limits.seconds in the configuration allows no more; see it: toolwharf config list --show-origin';
  return new HostError('timeout', error.message, { hint, cause: error });
}

/** Calls a tool on behalf of another, along the same road. */
export type InnerCall = (tool: string, request: RunRequest) => Promise<Answer>;

/** Runs a tool, or the one it stands for, and checks what came out. A failure is a way to end, not an exception. */
export async function runToOutcome(
  served: CallableTool,
  inner: InnerCall,
  request: RunRequest,
): Promise<CallOutcome> {
  try {
    const { action } = served.tool;
    const composed =
      action?.kind === 'compose' ? await inner(`${action.package}/${action.tool}`, request) : undefined;
    if (composed?.status === 'confirmation_required')
      return { kind: 'held', confirmation: composed.confirmation };
    const result = composed === undefined ? await served.run(request) : composedResult(composed);
    await checkResult(served, result);
    return { kind: 'done', result };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

function composedResult(answer: Exclude<Answer, { status: 'confirmation_required' }>): RunResult {
  if (answer.status === 'ok') {
    const { result, warnings, parts, meta } = answer;
    return {
      value: result,
      warnings,
      ...(parts === undefined ? {} : { parts }),
      ...(meta === undefined ? {} : { meta }),
    };
  }
  const { code, message, hint } = answer.error;
  throw new HostError(code, message, hint === undefined ? {} : { hint });
}

async function checkResult(served: CallableTool, result: RunResult): Promise<void> {
  if (sizeOf(result.value, maxAnswerDepth) === null) {
    throw new HostError(
      'tool_bad_output',
      `the answer of ${served.name} is nested more than ${maxAnswerDepth} levels deep`,
    );
  }
  const values = result.records === true ? (result.value as readonly Json[]) : [result.value];
  for (const validator of await served.outputs()) {
    for (const [index, value] of values.entries()) {
      const checked = validator.check(value);
      if (checked.ok) continue;
      const what =
        result.records === true ? `record ${index + 1} of ${served.name}` : `the answer of ${served.name}`;
      const complaints = checked.complaints.join('; ');
      throw new HostError(
        'invalid_output',
        `${what} is not what it declares: ${complaints}`,
        result.redacted === true
          ? { hint: 'secrets were taken out of it, so it may be another than it was' }
          : {},
      );
    }
  }
}
