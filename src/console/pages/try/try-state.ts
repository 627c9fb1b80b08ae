import { type Signal, signal } from '@preact/signals';
import type { Answer, ExplainedFinding, Explanation } from '../../../host/host.js';
import type { Json } from '../../../model/json.js';
import type { Draft, DraftProblem } from '../../parts/form/draft.js';
import { live } from '../../shell/live.js';
import { sessionApi } from '../../shell/operations.js';
import { takePrepared } from '../../shell/prepared-call.js';

/** The tools of the session of the console, read when somebody first looks at them. */
export const tools = live(['packages', 'values', 'kills'], () => sessionApi.tools());

/** What somebody does with one tool. It stays while other pages are open. */
export interface TryState {
  readonly draft: Signal<Draft>;
  readonly isJson: Signal<boolean>;
  readonly problems: Signal<readonly DraftProblem[]>;
  readonly explanation: Signal<Explanation | null>;
  readonly run: Signal<ToolRun | null>;
}

/** One call of this page. */
export interface ToolRun {
  readonly number: number;
  readonly tool: string;
  readonly arguments: Json;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly state: Signal<'running' | 'done' | 'canceled' | 'failed'>;
  readonly progress: Signal<RunProgress | null>;
  readonly log: Signal<readonly string[]>;
  readonly removed: Signal<readonly ExplainedFinding[]>;
  readonly answer: Signal<Answer | null>;
  /** Why there is no answer. */
  readonly failure: Signal<{ readonly message: string; readonly hint?: string | undefined } | null>;
  readonly cancel: () => void;
}

export interface RunProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

const states = new Map<string, TryState>();

/** What was done with a tool. The first time, it starts with the initial arguments. */
export function stateOf(tool: string, initial: () => Draft): TryState {
  const prepared = takePrepared(tool);
  if (prepared !== undefined) prepare(tool, prepared);
  const known = states.get(tool);
  if (known !== undefined) return known;
  const made = newState(initial());
  states.set(tool, made);
  return made;
}

/** Opens a tool with these arguments the next time, and with a call of it, if there is one. */
export function prepare(tool: string, args: Json, run: ToolRun | null = null): void {
  const known = states.get(tool) ?? newState({});
  states.set(tool, known);
  known.draft.value = args;
  known.problems.value = [];
  known.explanation.value = null;
  known.run.value = run;
}

function newState(draft: Draft): TryState {
  return {
    draft: signal<Draft>(draft),
    isJson: signal(false),
    problems: signal<readonly DraftProblem[]>([]),
    explanation: signal<Explanation | null>(null),
    run: signal<ToolRun | null>(null),
  };
}
