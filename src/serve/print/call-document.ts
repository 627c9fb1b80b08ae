import type { Answer, AnswerError } from '../../host/host.js';
import { answerErrorShape, binaryShape } from '../../host/operations/session-shapes.js';
import {
  anyText,
  arrayOf,
  exactly,
  json,
  jsonObject,
  number,
  object,
  oneOf,
  optional,
  text,
} from '../../host/operations/shape.js';
import { type HintSurface, hintFor } from '../../model/hint.js';

const statuses = [
  'ok',
  'error',
  'confirmation_required',
  'external_auth_required',
  'denied',
  'timeout',
] as const;

/** The shape of the document. */
export const callDocumentShape = object({
  schema: exactly('toolwharf/call@1'),
  tool: anyText('PACKAGE/TOOL'),
  callId: text('Id of the call in the audit log.'),
  status: oneOf(statuses),
  result: optional(json('With status ok. Text in base64 if there is a member "binary".')),
  binary: optional(binaryShape),
  warnings: optional(arrayOf(anyText())),
  replaced: optional(
    object({ arguments: jsonObject() }, 'A person approved the call with these arguments instead.'),
  ),
  confirmation: optional(
    object({
      token: text('Identifies the held call.'),
      kind: text(),
      reasons: arrayOf(anyText()),
      url: optional(text('The page where a person can decide.')),
    }),
  ),
  error: optional(answerErrorShape),
  unusedGrants: optional(arrayOf(anyText(), 'Grants of the command line without effect.')),
  durationMs: number(),
});

/** An answer as JSON, schema `toolwharf/call@1`, with the hint for the surface that shows it. */
export function callDocument(answer: Answer, surface: HintSurface = 'command-line') {
  const worded = (error: AnswerError): AnswerError =>
    error.hint === undefined ? error : { ...error, hint: hintFor(surface, error.hint) };
  const { tool, status, callId, durationMs, replaced } = answer;
  const base = {
    ...{ schema: 'toolwharf/call@1', tool, callId, status },
    ...(replaced === undefined ? {} : { replaced }),
  };
  switch (answer.status) {
    case 'ok':
      return {
        ...base,
        result: answer.result,
        ...(answer.binary === undefined ? {} : { binary: answer.binary }),
        ...(answer.warnings.length === 0 ? {} : { warnings: answer.warnings }),
        durationMs,
      };
    case 'confirmation_required': {
      const { token, kind, reasons, url } = answer.confirmation;
      return {
        ...base,
        confirmation: { token, kind, reasons, ...(url === undefined ? {} : { url }) },
        ...(answer.error === undefined ? {} : { error: worded(answer.error) }),
        durationMs,
      };
    }
    default:
      return { ...base, error: worded(answer.error), durationMs };
  }
}
