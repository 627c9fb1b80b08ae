import type { Answer, AnswerError, ListedTool, SandboxLevel } from '../../host/host.js';
import { dialectOf, embeddedSchema } from '../../model/embedded-schema.js';
import type { FailedToolResult } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../model/json.js';
import type { Annotations, Tool } from '../../model/tool.js';
import { confirmToolName } from '../../model/tool-name.js';
import { typeOf } from '../print/inputs.js';
import {
  binaryContent,
  partsContent,
  type ResultShape,
  type StoreResult,
  takeCharacters,
  textLimit,
  truncatedText,
} from './content-parts.js';

export const confirmTool: JsonObject = {
  name: confirmToolName,
  description:
    'Run a held call after a person has approved it. Pass the confirmation_token of the held call. If there is no decision yet, the result says that it is pending.',
  inputSchema: {
    type: 'object',
    properties: {
      confirmation_token: {
        type: 'string',
        description: 'The confirmation_token from the result of the held call.',
      },
    },
    required: ['confirmation_token'],
    additionalProperties: false,
  },
  annotations: { title: 'Run an approved call', readOnlyHint: false },
};

/** A tool in the MCP list format. The author's schemas are not changed. */
export function toolEntry(
  { name, exposed, tool }: ListedTool,
  sandbox: SandboxLevel | undefined,
  shape: ResultShape,
): JsonObject {
  const output = outputSchema(tool, shape);
  const annotations = annotationsOf(tool);
  const { title, icons, execution } = tool;
  return {
    name: exposed,
    ...(title === undefined ? {} : { title }),
    description: describedTool(tool),
    inputSchema: objectSchema(tool.input),
    ...(output === undefined ? {} : { outputSchema: output.schema }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
    ...(icons === undefined ? {} : { icons }),
    ...(execution === undefined ? {} : { execution }),
    _meta: {
      ...tool.meta,
      'toolwharf/tool': name,
      ...(tool.describedOutput === undefined ? {} : { 'toolwharf/outputs': tool.describedOutput }),
      ...(sandbox === undefined ? {} : { 'toolwharf/sandbox': sandbox }),
    },
  };
}

/** A described output is not published as a schema: a client would reject answers that differ from it. */
function describedTool({ description, describedOutput }: Tool): string {
  if (!isObject(describedOutput)) return description;
  const text = typeof describedOutput.description === 'string' ? describedOutput.description : '';
  const output = [typeOf(describedOutput), text].filter((it) => it !== '').join('. ');
  return output === '' ? description : `${description}\n\nReturns: ${output}`;
}

function objectSchema(schema: JsonSchema): Json {
  return isObject(schema)
    ? schema.type === undefined
      ? { type: 'object', ...schema }
      : schema
    : { type: 'object' };
}

/**
 * The hints that somebody declared, corrected by the declared effect. A hint that nobody declared is left out: a client
 * then assumes the worst.
 */
function annotationsOf({ annotations, effect, effectDeclared, idempotent }: Tool): Annotations {
  if (!effectDeclared) return annotations;
  const { destructiveHint, ...others } = annotations;
  const reads = effect === 'none' || effect === 'read';
  const isDestructive = effect === 'destructive';
  return {
    ...others,
    readOnlyHint: reads,
    ...(isDestructive || (destructiveHint !== undefined && !reads) ? { destructiveHint: isDestructive } : {}),
    ...(idempotent ? { idempotentHint: true } : {}),
  };
}

/** If the revision requires objects, other values are wrapped as `{result: …}`. */
function outputSchema(
  { output }: Tool,
  shape: ResultShape,
): { readonly schema: Json; readonly wrapped: boolean } | undefined {
  if (!isObject(output) || shape === 'plain') return undefined;
  if (shape === 'any' || output.type === 'object') return { schema: output, wrapped: false };
  const result = embeddedSchema(output, '/properties/result');
  const schema = { ...dialectOf(output), type: 'object', properties: { result }, required: ['result'] };
  return { schema, wrapped: true };
}

export interface ResultOptions {
  readonly shape: ResultShape;
  /** The tool whose output schema the client knows. Undefined: no structured content. */
  readonly tool: ListedTool | undefined;
  readonly storeResult: StoreResult;
}

/** Denied, held and failed calls are results that the model reads. Only protocol errors are JSON-RPC errors. */
export function callResult(answer: Answer, options: ResultOptions): JsonObject {
  const { replaced } = answer;
  if (replaced === undefined) return plainResult(answer, options);
  const result = plainResult(answer, options);
  const text = `A person changed the arguments of this call before approving it. It ran with: ${JSON.stringify(replaced.arguments)}`;
  return {
    ...result,
    content: [{ type: 'text', text }, ...(result.content as readonly JsonObject[])],
    _meta: { ...(result._meta as JsonObject), 'toolwharf/replaced': replaced },
  };
}

function plainResult(answer: Answer, options: ResultOptions): JsonObject {
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
      return heldResult(answer, meta, options);
    default: {
      const { code, toolError, toolResult } = answer.error;
      const failed = errorResult(failureText(answer.error), {
        ...meta,
        'toolwharf/status': answer.status,
        'toolwharf/code': code,
        ...(toolError === undefined ? {} : { 'toolwharf/tool-error': toolError as JsonObject }),
      });
      if (toolResult !== undefined) return failedContent(failed, toolResult, answer.error.hint, options);
      // A failed result need not match the output schema.
      return toolError === undefined || options.shape === 'plain'
        ? failed
        : { ...failed, structuredContent: { error: toolError as JsonObject } };
    }
  }
}

/** The failed result of an MCP tool as its server gave it. The hint of the host is one more part. */
function failedContent(
  failed: JsonObject,
  { parts, structured, meta }: FailedToolResult,
  hint: string | undefined,
  { shape, storeResult }: ResultOptions,
): JsonObject {
  const added = hint === undefined ? [] : [{ type: 'text', text: hint }];
  const isAllowed = shape === 'any' || (shape === 'objects' && isObject(structured));
  return {
    ...failed,
    content: [...partsContent(parts, shape, storeResult), ...added],
    ...(structured === undefined || !isAllowed ? {} : { structuredContent: structured }),
    _meta: { ...meta, ...(failed._meta as JsonObject) },
  };
}

/** For the model: what failed, what the tool adds to it, and the next step. */
function failureText({ message, hint, toolError }: AnswerError): string {
  const details = toolError?.details === undefined ? '' : JSON.stringify(toolError.details);
  const shown = details.length <= maxDetails ? details : `${takeCharacters(details, maxDetails)}…`;
  return [message, shown === '' ? '' : `details: ${shown}`, hint ?? ''].filter((it) => it !== '').join('\n');
}

/** Characters of a tool's error details in the text; the structured content has all of them. */
const maxDetails = 4000;

export function errorResult(text: string, meta: JsonObject): JsonObject {
  return { content: [{ type: 'text', text }], isError: true, _meta: meta };
}

export function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

/** Names the content of one call. It is in the answer itself and cannot be read again. */
const binaryUriPrefix = 'toolwharf://call/';

/**
 * Very long text is truncated, with a link to the rest. Structured content is never truncated, because it must match its
 * schema and programs read it.
 */
function okContent(
  { result, parts, structured: isStructured, binary, callId }: Answer & { status: 'ok' },
  { shape, tool, storeResult }: ResultOptions,
): JsonObject {
  const structured =
    tool === undefined ? {} : structuredContent(tool.tool, result, shape, isStructured === true);
  if (parts !== undefined) return { content: partsContent(parts, shape, storeResult), ...structured };
  if (binary !== undefined)
    return {
      content: binaryContent(String(result), binary, `${binaryUriPrefix}${callId}`, shape),
      ...structured,
    };
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  if (text.length <= textLimit) return { content: [{ type: 'text', text }], ...structured };
  const mimeType = typeof result === 'string' ? 'text/plain' : 'application/json';
  return { content: truncatedText(text, mimeType, shape, storeResult), ...structured };
}

/**
 * Without a schema, there is structured content if the tool describes its output or a server answered with it, where the
 * revision allows the value.
 */
function structuredContent(tool: Tool, result: Json, shape: ResultShape, isStructured: boolean): JsonObject {
  const output = outputSchema(tool, shape);
  if (output !== undefined) return { structuredContent: output.wrapped ? { result } : result };
  const isAllowed = shape === 'any' || (shape !== 'plain' && isObject(result));
  return (isStructured || tool.describedOutput !== undefined) && isAllowed
    ? { structuredContent: result }
    : {};
}

/** How the user can decide, for the model to tell them. */
function waysToDecide(token: string, url: string | undefined): string {
  const command = `toolwharf approvals approve ${token} (or: toolwharf approvals deny ${token})`;
  return url === undefined
    ? command
    : `show them the link ${url}, which you must not open yourself; or ${command}`;
}

/**
 * A held call has not failed: its result is one that clients pass on like any other. Only where the client checks results
 * against an output schema it is marked as an error, because clients throw if another result does not match the schema.
 */
function heldResult(
  { confirmation, error }: Answer & { status: 'confirmation_required' },
  meta: JsonObject,
  { shape, tool: listed }: ResultOptions,
): JsonObject {
  const { token, kind, reasons, tool, arguments: args, expiresAt, url } = confirmation;
  const status = error?.code === 'approval_pending' ? 'pending' : 'confirmation_required';
  const held: JsonObject = {
    status,
    kind,
    confirmation_token: token,
    tool,
    arguments: args,
    reasons,
    expires_at: expiresAt,
    ...(url === undefined ? {} : { approval_page: url }),
    next: `This call has not run. Tell the user which call is held and why. Only the user can decide, outside this conversation: ${waysToDecide(token, url)}. Wait for the user. Then make the same call again with the same arguments, or call ${confirmToolName} with this confirmation_token, to get the answer.`,
  };
  const isChecked = listed !== undefined && outputSchema(listed.tool, shape) !== undefined;
  return {
    ...textResult(JSON.stringify(held)),
    ...(shape === 'plain' ? {} : { structuredContent: held }),
    ...(isChecked ? { isError: true } : {}),
    _meta: { ...meta, 'toolwharf/status': status },
  };
}
