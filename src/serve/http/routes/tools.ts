import type { ListedTool, PackageState } from '../../../host/host.js';
import {
  anyText,
  arrayOf,
  integer,
  json,
  jsonObject,
  object,
  oneOf,
  optional,
  text,
} from '../../../host/operations/shape.js';
import { isAppOnly } from '../../../model/app-resource.js';
import { documents } from '../../documents/documents.js';
import { errorTable } from '../../errors.js';
import { callDocument, callDocumentShape } from '../../print/call-document.js';
import type { PathRedactor } from '../path-redactor.js';
import { bodyOf, documentSchema, type Route } from '../route.js';

const maxTimeoutMs = 24 * 3_600_000;
const callBody = object({
  tool: text('PACKAGE/TOOL, or the exposed name.'),
  arguments: optional(json('Arguments that match the input schema of the tool. Default: {}.')),
  timeoutMs: optional(integer('Milliseconds.', { minimum: 1, maximum: maxTimeoutMs })),
});
const listedEntry = object({
  name: text('PACKAGE/TOOL'),
  exposed: text('The name for clients that allow no slash.'),
  description: anyText(),
  inputSchema: json('JSON Schema of the arguments.'),
  outputSchema: optional(json('JSON Schema that every result matches.')),
  describedOutput: optional(
    json('JSON Schema that describes the result. Results may differ, with a warning.'),
  ),
  effect: oneOf(['none', 'read', 'write', 'destructive']),
  annotations: jsonObject('As in MCP.'),
});

/** Packages, tools and calls, for agents and operators. */
export function toolRoutes(redactor: PathRedactor): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/packages',
      role: 'agent',
      summary: 'List packages with their state and the reasons for it.',
      responses: {
        200: {
          description: 'The packages.',
          schema: documents['list@1'].shape.schema,
        },
      },
      handle: async ({ caller }) => {
        const { packages, summary } = await (await caller.session()).packages();
        const entries = packages.map((it) =>
          packageEntry(it, caller.role === 'operator' ? undefined : redactor),
        );
        return { body: { schema: 'toolwharf/list@1', packages: entries, summary } };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/tools',
      role: 'agent',
      summary: 'List the tools that can be called now, with their schemas.',
      responses: {
        200: {
          description: 'The tools.',
          schema: documentSchema('toolwharf/tools@1', { tools: arrayOf(listedEntry) }),
        },
      },
      handle: async ({ caller }) => {
        // A caller over HTTP shows no apps, so it gets no tools that are for apps alone.
        const tools = (await (await caller.session()).tools()).filter((it) => !isAppOnly(it.tool));
        return { body: { schema: 'toolwharf/tools@1', tools: tools.map(toolEntry) } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/call',
      role: 'agent',
      summary: 'Call one tool. Closing the connection before the answer cancels the call.',
      body: callBody.schema,
      responses: {
        200: {
          description:
            'The answer. Denied, rejected and failed calls have the same shape, with the HTTP status of their error code.',
          schema: callDocumentShape.schema,
        },
        202: { description: 'The call is held for approval. The answer contains its confirmation token.' },
      },
      handle: async ({ caller, body, signal }) => {
        const { tool, arguments: args = {}, timeoutMs } = bodyOf(callBody, body);
        const answer = await (await caller.session()).call({ tool, arguments: args, timeoutMs, signal });
        const code = 'error' in answer ? answer.error?.code : undefined;
        const status = answer.status === 'ok' ? 200 : code === undefined ? 202 : errorTable[code].http;
        return { status, body: callDocument(answer, 'http') };
      },
    },
  ];
}

/** Operators see full paths. Agents see only the part below the served folder. */
function packageEntry(it: PackageState, redactor: PathRedactor | undefined) {
  const { id, version, format, path, state, reasons, sandbox, tools, programs } = it;
  const programEntry = programs === undefined ? {} : { programs };
  const entry = { id, version, format, path, state, reasons, sandbox, tools, ...programEntry };
  if (redactor === undefined) return entry;
  const redacted = programs?.map(({ reason, ...rest }) =>
    reason === undefined ? rest : { ...rest, reason: redactor.text(reason) },
  );
  return {
    ...entry,
    path: redactor.path(path),
    reasons: reasons.map((reason) => redactor.text(reason)),
    ...(redacted === undefined ? {} : { programs: redacted }),
  };
}

function toolEntry({ name, exposed, tool }: ListedTool) {
  const { description, input, output, describedOutput, effect, annotations } = tool;
  return {
    name,
    exposed,
    description,
    inputSchema: input,
    ...(output === undefined ? {} : { outputSchema: output }),
    ...(describedOutput === undefined ? {} : { describedOutput }),
    effect,
    annotations,
  };
}
