import type { Answer } from '../../host/host.js';

/** An answer as JSON, schema `toolwharf/call@1`. */
export function callDocument(answer: Answer) {
  const { tool, status, callId, durationMs } = answer;
  const base = { schema: 'toolwharf/call@1', tool, callId, status };
  switch (answer.status) {
    case 'ok':
      return {
        ...base,
        result: answer.result,
        ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings }),
        durationMs,
      };
    case 'confirmation_required': {
      const { token, kind, reasons } = answer.confirmation;
      return {
        ...base,
        confirmation: { token, kind, reasons },
        ...(answer.error === undefined ? {} : { error: answer.error }),
        durationMs,
      };
    }
    default:
      return { ...base, error: answer.error, durationMs };
  }
}
