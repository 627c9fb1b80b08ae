import type { ListedTool, PackageState } from '../../../host/host.js';
import { errorTable } from '../../errors.js';
import { callDocument } from '../../print/call-document.js';
import { HttpError } from '../http-error.js';
import type { PathRedactor } from '../path-redactor.js';
import { bodyMembers, documentSchema, type Route, textMember } from '../route.js';

const maxTimeoutMs = 24 * 3_600_000;
const objectList = { type: 'array', items: { type: 'object' } };

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
          schema: documentSchema('toolwharf/list@1', { packages: objectList, summary: { type: 'object' } }),
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
          schema: documentSchema('toolwharf/tools@1', { tools: objectList }),
        },
      },
      handle: async ({ caller }) => {
        const tools = await (await caller.session()).tools();
        return { body: { schema: 'toolwharf/tools@1', tools: tools.map(toolEntry) } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/call',
      role: 'agent',
      summary: 'Call one tool. Closing the connection before the answer cancels the call.',
      body: {
        type: 'object',
        required: ['tool'],
        additionalProperties: false,
        properties: {
          tool: { type: 'string', description: 'PACKAGE/TOOL, or the exposed name.' },
          arguments: { description: 'Arguments that match the input schema of the tool. Default: {}.' },
          timeoutMs: { type: 'integer', minimum: 1, maximum: maxTimeoutMs },
        },
      },
      responses: {
        200: {
          description:
            'The answer. Denied, rejected and failed calls have the same shape, with the HTTP status of their error code.',
          schema: documentSchema('toolwharf/call@1', {
            tool: { type: 'string' },
            callId: { type: 'string', description: 'Id of the call in the audit log.' },
            status: {
              enum: ['ok', 'error', 'confirmation_required', 'external_auth_required', 'denied', 'timeout'],
            },
            durationMs: { type: 'number' },
          }),
        },
        202: { description: 'The call is held for approval. The answer contains its confirmation token.' },
      },
      handle: async ({ caller, body, signal }) => {
        const members = bodyMembers(body, ['tool', 'arguments', 'timeoutMs']);
        const tool = textMember(members, 'tool');
        const answer = await (await caller.session()).call({
          tool,
          arguments: members.arguments ?? {},
          timeoutMs: timeoutOf(members.timeoutMs),
          signal,
        });
        const code = 'error' in answer ? answer.error?.code : undefined;
        const status = answer.status === 'ok' ? 200 : code === undefined ? 202 : errorTable[code].http;
        return { status, body: callDocument(answer) };
      },
    },
  ];
}

function timeoutOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > maxTimeoutMs)
    throw new HttpError(400, 'usage', `timeoutMs must be an integer from 1 to ${maxTimeoutMs}`);
  return value;
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
  const { description, input, output, effect, annotations } = tool;
  return {
    name,
    exposed,
    description,
    inputSchema: input,
    ...(output === undefined ? {} : { outputSchema: output }),
    effect,
    annotations,
  };
}
