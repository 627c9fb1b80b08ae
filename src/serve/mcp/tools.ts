import { type Answer, confirmToolName, type ListedTool } from '../../host/host.js';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../model/json.js';
import type { Annotations, Tool } from '../../model/tool.js';

const confirmTool: JsonObject = {
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

/** The list as clients see it: sorted, and the same for the same packages. */
export function toolList(tools: readonly ListedTool[]): JsonObject[] {
  return [...tools.map(listed), confirmTool];
}

function listed({ name, exposed, tool }: ListedTool): JsonObject {
  const output = outputSchema(tool);
  return {
    name: exposed,
    description: tool.description,
    inputSchema: objectSchema(tool.input),
    ...(output === undefined ? {} : { outputSchema: output.schema }),
    annotations: annotationsOf(tool) as unknown as JsonObject,
    _meta: { 'toolport/tool': name },
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
  const reads = tool.effect === 'none' || tool.effect === 'read';
  return {
    ...tool.annotations,
    readOnlyHint: reads,
    ...(reads ? {} : { destructiveHint: tool.effect === 'destructive' }),
    idempotentHint: tool.idempotent,
  };
}

/** These revisions want objects: anything else travels as `{result: …}`. A schema with references stays at home. */
function outputSchema(tool: Tool): { schema: Json; wrapped: boolean } | undefined {
  const { output } = tool;
  if (!isObject(output)) return undefined;
  if (output.type === 'object') return { schema: output, wrapped: false };
  if (JSON.stringify(output).includes('"$ref"')) return undefined;
  return { schema: { type: 'object', properties: { result: output }, required: ['result'] }, wrapped: true };
}

/** Refusals, holds and failures are results that the model reads; only protocol faults are errors. */
export function callResult(answer: Answer, listedTool: ListedTool | undefined): JsonObject {
  const meta = { 'toolport/call': answer.callId };
  switch (answer.status) {
    case 'ok': {
      const text = typeof answer.result === 'string' ? answer.result : JSON.stringify(answer.result);
      const output = listedTool === undefined ? undefined : outputSchema(listedTool.tool);
      return {
        content: [{ type: 'text', text }],
        ...(output === undefined
          ? {}
          : { structuredContent: output.wrapped ? { result: answer.result } : answer.result }),
        _meta: meta,
      };
    }
    case 'confirmation_required': {
      const { token, kind, reasons, tool, arguments: given, expiresAt } = answer.confirmation;
      const pending = answer.error?.code === 'approval_pending';
      const text = JSON.stringify({
        status: pending ? 'pending' : 'confirmation_required',
        kind,
        confirmation_token: token,
        tool,
        arguments: given,
        reasons,
        expires_at: expiresAt,
        next: `Tell the user what would run and why. They decide with: toolport approvals approve ${token} (or deny). Then call ${confirmToolName} with the token.`,
      });
      return {
        content: [{ type: 'text', text }],
        isError: true,
        _meta: { ...meta, 'toolport/status': pending ? 'pending' : 'confirmation_required' },
      };
    }
    default: {
      const { code, message, hint } = answer.error;
      const text = hint === undefined ? message : `${message}\n${hint}`;
      return {
        content: [{ type: 'text', text }],
        isError: true,
        _meta: { ...meta, 'toolport/status': answer.status, 'toolport/code': code },
      };
    }
  }
}
