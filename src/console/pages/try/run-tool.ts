import { signal } from '@preact/signals';
import type { Answer, ExplainedFinding } from '../../../host/host.js';
import type { Json } from '../../../model/json.js';
import type { ConsoleCallEvent } from '../../../serve/http/console/console-call.js';
import { announce } from '../../shell/announcement.js';
import { OperationError, runTool } from '../../shell/operations.js';
import type { RunProgress, ToolRun } from './try-state.js';

/** Calls that can be repeated. Older ones are forgotten, with their answers. */
const maxRecent = 12;
/** Log lines that stay. */
const maxLog = 500;

export const recentRuns = signal<readonly ToolRun[]>([]);
let next = 1;

/** Starts a call. It goes on while other pages are open; closing the console cancels it. */
export function startRun(tool: string, args: Json): ToolRun {
  const abort = new AbortController();
  const run: ToolRun = {
    number: next++,
    tool,
    arguments: args,
    startedAt: Date.now(),
    state: signal('running'),
    progress: signal<RunProgress | null>(null),
    log: signal<readonly string[]>([]),
    removed: signal<readonly ExplainedFinding[]>([]),
    answer: signal<Answer | null>(null),
    failure: signal<{ readonly message: string; readonly hint?: string | undefined } | null>(null),
    cancel: () => abort.abort(),
  };
  recentRuns.value = [run, ...recentRuns.peek()].slice(0, maxRecent);
  void follow(run, abort.signal);
  return run;
}

async function follow(run: ToolRun, abort: AbortSignal): Promise<void> {
  try {
    const answer = await runTool(
      { tool: run.tool, arguments: run.arguments },
      (event) => note(run, event),
      abort,
    );
    run.answer.value = answer;
    run.state.value = 'done';
    announce(answer.status === 'ok' ? `${run.tool} answered.` : `${run.tool}: ${answer.status}.`);
  } catch (error) {
    const isCanceled = error instanceof OperationError && error.code === 'canceled';
    run.state.value = isCanceled ? 'canceled' : 'failed';
    const hint = error instanceof OperationError ? error.hint : undefined;
    run.failure.value = { message: (error as Error).message, hint };
    announce(isCanceled ? `The call of ${run.tool} was canceled.` : `${run.tool} failed.`);
  }
}

function note(run: ToolRun, { progress, log, removed }: ConsoleCallEvent): void {
  if (progress !== undefined) run.progress.value = progress;
  if (removed !== undefined) run.removed.value = [...run.removed.peek(), ...removed];
  if (log !== undefined) {
    const { level = '', data } = log;
    const line = `${String(level)} ${typeof data === 'string' ? data : JSON.stringify(data)}`;
    run.log.value = [...run.log.peek().slice(1 - maxLog), line];
  }
}
