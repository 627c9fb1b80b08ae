import type { Answer } from '../../host/host.js';
import { visibleLine } from './visible.js';

/** One call as a JSON event of `serve --json`. */
export function callEvent(answer: Answer, principal: string) {
  const code = 'error' in answer && answer.error !== undefined ? { code: answer.error.code } : {};
  return {
    event: 'call',
    tool: answer.tool,
    status: answer.status,
    ...code,
    principal,
    callId: answer.callId,
    ...(answer.status === 'confirmation_required' && answer.confirmation.url !== undefined
      ? { url: answer.confirmation.url }
      : {}),
    durationMs: answer.durationMs,
  };
}

/** One call as a line of `serve`. */
export function callLine(answer: Answer, principal: string): string {
  const why =
    'error' in answer && answer.error !== undefined ? `  ${answer.error.message.split('\n', 1)[0]}` : '';
  const page =
    answer.status === 'confirmation_required' && answer.confirmation.url !== undefined
      ? `  ${answer.confirmation.url}`
      : '';
  return visibleLine(
    `${answer.status.padEnd(8)} ${answer.tool}  ${Math.round(answer.durationMs)} ms  ${principal}${why}${page}`,
  );
}
