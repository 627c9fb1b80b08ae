import type { ListedTool, PackageState } from '../../../host/host.js';
import { errorTable } from '../../errors.js';
import { callDocument } from '../../print/call-document.js';
import type { Places } from '../places.js';
import { Refusal } from '../refusal.js';
import { documentOf, membersOf, type Route, textMember } from '../route.js';

const maxTimeoutMs = 24 * 3_600_000;
const list = { type: 'array', items: { type: 'object' } };

/** What agents and operators both may do. */
export function toolRoutes(places: Places): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/packages',
      role: 'agent',
      summary: 'Packages with their state, and why some are not ready.',
      answers: {
        200: {
          text: 'The packages.',
          schema: documentOf('toolwharf/list@1', { packages: list, summary: { type: 'object' } }),
        },
      },
      answer: async ({ caller }) => {
        const { packages, summary } = await (await caller.session()).packages();
        const entries = packages.map((it) =>
          packageEntry(it, caller.role === 'operator' ? undefined : places),
        );
        return { body: { schema: 'toolwharf/list@1', packages: entries, summary } };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/tools',
      role: 'agent',
      summary: 'What can be called now, with its schemas.',
      answers: { 200: { text: 'The tools.', schema: documentOf('toolwharf/tools@1', { tools: list }) } },
      answer: async ({ caller }) => {
        const tools = await (await caller.session()).tools();
        return { body: { schema: 'toolwharf/tools@1', tools: tools.map(toolEntry) } };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/call',
      role: 'agent',
      summary: 'Calls one tool. Leaving before the answer ends the call.',
      body: {
        type: 'object',
        required: ['tool'],
        additionalProperties: false,
        properties: {
          tool: { type: 'string', description: 'PACKAGE/TOOL or the exposed name' },
          arguments: { description: 'as the schema of the tool says; {} unless told' },
          timeoutMs: { type: 'integer', minimum: 1, maximum: maxTimeoutMs },
        },
      },
      answers: {
        200: {
          text: 'The answer. Refusals and failures have the same shape with the status of their code.',
          schema: documentOf('toolwharf/call@1', {
            tool: { type: 'string' },
            callId: { type: 'string', description: 'under which the record has it' },
            status: {
              enum: ['ok', 'error', 'confirmation_required', 'external_auth_required', 'denied', 'timeout'],
            },
            durationMs: { type: 'number' },
          }),
        },
        202: { text: 'The call is held for a person; the answer has its token.' },
      },
      answer: async ({ caller, body, signal }) => {
        const given = membersOf(body, ['tool', 'arguments', 'timeoutMs']);
        const tool = textMember(given, 'tool');
        const answer = await (await caller.session()).call({
          tool,
          arguments: given.arguments ?? {},
          timeoutMs: timeoutOf(given.timeoutMs),
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
    throw new Refusal(400, 'usage', 'timeoutMs must be a whole number of milliseconds, a day at most');
  return value;
}

/** Operators see paths as the host knows them, agents only the part below the folder that is served. */
function packageEntry(it: PackageState, hide: Places | undefined) {
  const { id, version, format, path, state, reasons, sandbox, tools, programs } = it;
  const kept = programs === undefined ? {} : { programs };
  const shown = { id, version, format, path, state, reasons, sandbox, tools, ...kept };
  if (hide === undefined) return shown;
  const said = programs?.map(({ reason, ...rest }) =>
    reason === undefined ? rest : { ...rest, reason: hide.text(reason) },
  );
  return {
    ...shown,
    path: hide.path(path),
    reasons: reasons.map((reason) => hide.text(reason)),
    ...(said === undefined ? {} : { programs: said }),
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
