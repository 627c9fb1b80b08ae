import type { Action } from '../model/action.js';
import type { SlotValues } from '../model/slot.js';
import type { RunRequest, RunResult } from './run.js';
import { fillText } from './template-filling.js';

/** Fills the author's text and gives it back; nothing runs. */
export function runPrompt(
  action: Extract<Action, { kind: 'prompt' }>,
  request: RunRequest,
  slots: SlotValues,
): RunResult {
  return { value: fillText(action.template, { input: request.input, slots }), warnings: [] };
}
