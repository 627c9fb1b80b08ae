import type { Answer, ListedTool, SandboxLevel } from '../../host/host.js';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../model/json.js';
import type { Annotations, Tool } from '../../model/tool.js';
import { confirmToolName } from '../../model/tool-name.js';
import { cutText, type Keep, partsContent, textLimit } from './parts.js';

/**
 * Where revisions differ. `any`: structured content is any value. `objects`: it must be an object. `plain`: there is
 * none, and no links to resources either.
 */
export type Shape = 'plain' | 'objects' | 'any';

export const confirmTool: JsonObject = {
  name: confirmToolName,
  description:
    'Run a call that was held for a person, after that person approved it. Before the approval it answers that the decision is pending.',
  inputSchema: {
    type: 'object',
    properties: { confirmation_token: { type: 'string', description: 'The token of the held call.' } },
    required: ['confirmation_token'],
    additionalProperties: false,
  },
  annotations: { title: 'Run an approved call', readOnlyHint: false },
};

/** A tool as clients see it; its schemas are the author's, untouched. */
export function toolEntry(
  { name, exposed, tool }: ListedTool,
  sandbox: SandboxLevel | undefined,
  shape: Shape,
): JsonObject {
  const output = outputSchema(tool, shape);
  return {
    name: exposed,
    description: tool.description,
    inputSchema: objectSchema(tool.input),
    ...(output === undefined ? {} : { outputSchema: output.schema }),
    annotations: annotationsOf(tool) as unknown as JsonObject,
    _meta: {
      ...tool.meta,
      'toolwharf/tool': name,
      ...(sandbox === undefined ? {} : { 'toolwharf/sandbox': sandbox }),
    },
  };
}

function objectSchema(schema: JsonSchema): Json {
  return isObject(schema)
    ? schema.type === undefined
      ? { type: 'object', ...schema }
      : schema
    : { type: 'object' };
}

/** What the manifest claims, corrected by what the host knows. */
function annotationsOf(tool: Tool): Annotations {
  // What a server says of its own tools is passed on as it is: nobody here knows better, and nothing is loosened by it.
  if (tool.action?.kind === 'upstream' && !tool.effectDeclared) return tool.annotations;
  const reads = tool.effect === 'none' || tool.effect === 'read';
  return {
    ...tool.annotations,
    readOnlyHint: reads,
    ...(reads ? {} : { destructiveHint: tool.effect === 'destructive' }),
    idempotentHint: tool.idempotent,
  };
}

/** Where objects are wanted, anything else travels as `{result: …}`; a schema with references then stays at home. */
function outputSchema(
  { output }: Tool,
  shape: Shape,
): { readonly schema: Json; readonly wrapped: boolean } | undefined {
  if (!isObject(output) || shape === 'plain') return undefined;
  if (shape === 'any' || output.type === 'object') return { schema: output, wrapped: false };
  if (JSON.stringify(output).includes('"$ref"')) return undefined;
  return { schema: { type: 'object', properties: { result: output }, required: ['result'] }, wrapped: true };
}

export interface ResultOptions {
  readonly shape: Shape;
  /** The tool whose output schema the answer was promised to have. */
  readonly tool: ListedTool | undefined;
  readonly keep: Keep;
}

/** Refusals, holds and failures are results that the model reads; only protocol faults are errors. */
export function callResult(answer: Answer, options: ResultOptions): JsonObject {
  const meta = { 'toolwharf/call': answer.callId };
  switch (answer.status) {
    case 'ok':
      return {
        ...okContent(answer, options),
        _meta: {
          ...answer.meta,
          ...meta,
          ...(answer.warnings.length === 0 ? {} : { 'toolwharf/warnings': answer.warnings }),
        },
      };
    case 'confirmation_required':
      return heldResult(answer, meta);
    default: {
      const { code, message, hint } = answer.error;
      return errorResult(hint === undefined ? message : `${message}\n${hint}`, {
        ...meta,
        'toolwharf/status': answer.status,
        'toolwharf/code': code,
      });
    }
  }
}

export function errorResult(text: string, meta: JsonObject): JsonObject {
  return { content: [{ type: 'text', text }], isError: true, _meta: meta };
}

export function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

/**
 * The text a model reads is cut where it is very long, with a link to the rest. Structured content stays whole: it was
 * promised to have a shape, and programs read it.
 */
function okContent(
  { result, parts }: Answer & { status: 'ok' },
  { shape, tool, keep }: ResultOptions,
): JsonObject {
  const output = tool === undefined ? undefined : outputSchema(tool.tool, shape);
  const structured = output === undefined ? {} : { structuredContent: output.wrapped ? { result } : result };
  if (parts !== undefined) return { content: partsContent(parts, shape, keep), ...structured };
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  if (text.length <= textLimit) return { content: [{ type: 'text', text }], ...structured };
  const mimeType = typeof result === 'string' ? 'text/plain' : 'application/json';
  return { content: cutText(text, mimeType, shape, keep), ...structured };
}

function heldResult(
  { confirmation, error }: Answer & { status: 'confirmation_required' },
  meta: JsonObject,
): JsonObject {
  const { token, kind, reasons, tool, arguments: given, expiresAt } = confirmation;
  const status = error?.code === 'approval_pending' ? 'pending' : 'confirmation_required';
  const text = JSON.stringify({
    status,
    kind,
    confirmation_token: token,
    tool,
    arguments: given,
    reasons,
    expires_at: expiresAt,
    next: `Tell the user what would run and why. They decide with: toolwharf approvals approve ${token} (or deny). Then call ${confirmToolName} with the token.`,
  });
  return errorResult(text, { ...meta, 'toolwharf/status': status });
}
