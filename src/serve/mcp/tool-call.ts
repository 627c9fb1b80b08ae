import type { Answer, CallLogging, Confirmation, Progress } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { callCanceled, HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { askersKey } from '../../model/question-askers.js';
import { withoutReservedMeta } from '../../model/reserved-meta.js';
import {
  callToolName,
  confirmToolName,
  describeToolName,
  findToolName,
  requestInstallName,
} from '../../model/tool-name.js';
import { visible, visibleLine } from '../print/visible.js';
import { applyDecision, type UserDecision } from './approval-question.js';
import type { ResultShape } from './content-parts.js';
import { invalidParams, RpcError } from './json-rpc.js';
import { describeTool, findTools, invalidUse } from './meta-tool-calls.js';
import { askForPackage } from './package-request.js';
import { waitForDecision } from './page-question.js';
import type { McpServerOptions } from './server-options.js';
import type { ToolCatalog } from './tool-catalog.js';
import { callResult, errorResult } from './tool-mapping.js';

/** Sends a tool's question to the user at the client. Returns the elicitation result. */
export type AskUser = (question: JsonObject) => Promise<JsonObject>;

/** How a held call continues. `not-asked`: the client cannot ask its user, so the model gets the held-call result. */
export type HoldResponse =
  | { readonly kind: 'decided'; readonly decision: UserDecision }
  /** The user decides on the page of the held call, and may have done so. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'input-required'; readonly result: JsonObject }
  | { readonly kind: 'not-asked' };

export interface HeldCall {
  readonly confirmation: Confirmation;
  /** The held call is one that the tool makes itself. After the decision the outer call is made again. */
  readonly isInnerCall: boolean;
}

export interface ResumedCall {
  readonly approval: string;
  readonly isInnerCall: boolean;
  /** `elsewhere`: the client decides nothing; the state of the held call counts. */
  readonly decision: UserDecision | 'elsewhere';
  /** With `elsewhere`: how long to wait for the decision. Default: not at all. */
  readonly waitMs?: number;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** The `_meta` of the request, for MCP servers. */
  readonly meta?: JsonObject | undefined;
  readonly signal: CancelSignal;
  readonly shape: ResultShape;
  /** Set if this request carries the user's decision on a held call. */
  readonly resumed?: ResumedCall | undefined;
  readonly onHeld: (hold: HeldCall) => Promise<HoldResponse>;
  readonly onProgress: (progress: Progress) => void;
  /** Sends log messages of the tool's server to the client. Absent if it wants none. */
  readonly logging?: CallLogging | undefined;
  /** Sends a tool's question to the user. Absent if the client cannot show it. */
  readonly onAsk?: AskUser | undefined;
}

/** Handles `tools/call`: resolves meta-tools, makes the call, and returns the result that the model reads. */
export async function handleToolCall(
  options: McpServerOptions,
  catalog: ToolCatalog,
  call: ToolCall,
): Promise<JsonObject> {
  const { name, shape } = call;
  const isSearchMode = await catalog.isSearchMode();
  if (isSearchMode && name === findToolName) return findTools(catalog, call.arguments);
  if (isSearchMode && name === describeToolName) return describeTool(catalog, call.arguments, shape);
  if (name === requestInstallName && (await catalog.offersRequests()))
    return askForPackage(options.session, call.arguments);
  const isMetaCall = isSearchMode && name === callToolName;
  if (isMetaCall && typeof call.arguments.name !== 'string')
    return invalidUse(`${callToolName} needs "name": the name of a tool`);
  const target = isMetaCall
    ? { tool: call.arguments.name as string, arguments: call.arguments.arguments ?? {} }
    : { tool: name, arguments: call.arguments };
  const { signal, onProgress, onAsk, logging, meta } = call;
  const asking = onAsk === undefined ? {} : { onAsk: attributed(target.tool, onAsk) };
  const makeCall: MakeCall = (it = target) =>
    options.session.call({ ...it, signal, onProgress, logging, meta, ...asking });
  try {
    const outcome = await callUntilDecided(options, call, makeCall);
    if ('result' in outcome) return outcome.result;
    const { answer } = outcome;
    if (!isMetaCall && answer.status === 'error' && answer.error.code === 'tool_not_found')
      throw new RpcError(invalidParams, answer.error.message);
    const hasOutputSchema = !isMetaCall && name !== confirmToolName;
    return callResult(answer, {
      shape,
      tool: hasOutputSchema ? await catalog.find(answer.tool) : undefined,
      storeResult: (result) => options.results.keep(options.holder, result),
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
    return errorResult(text, { 'toolwharf/status': 'denied', 'toolwharf/code': error.code });
  }
}

/** Adds the name of the tool to its question and makes hidden characters visible. Only form questions are passed on. */
function attributed(tool: string, ask: AskUser): AskUser {
  return async ({ message, mode, requestedSchema, _meta }) => {
    if ((mode !== undefined && mode !== 'form') || !isObject(requestedSchema)) return { action: 'decline' };
    const text = visible(typeof message === 'string' ? message : '').slice(0, 4000);
    return ask({ message: `${askerOf(tool, _meta)} asks:\n\n${text}`, requestedSchema });
  };
}

/** Tools that are named as the possible origin of a question. */
const maxAskers = 8;
/** Characters of each. Names of tools are not longer. */
const maxAskerLength = 128;

/** A server of the 2025 era does not say which of its open calls a question belongs to. */
function askerOf(tool: string, meta: Json | undefined): string {
  const askers = isObject(meta) ? meta[askersKey] : undefined;
  if (!Array.isArray(askers)) return `The tool ${visibleLine(tool)}`;
  const named = askers
    .filter((it) => typeof it === 'string' && it !== '')
    .slice(0, maxAskers)
    .map((it) => (it as string).slice(0, maxAskerLength));
  return `A tool of the server of ${visibleLine(tool)} (one of: ${visibleLine(named.join(', '))})`;
}

/** Makes the call, or another call for the same caller. */
type MakeCall = (target?: { readonly tool: string; readonly arguments: Json }) => Promise<Answer>;

type CallOutcome = { readonly answer: Answer } | { readonly result: JsonObject };

/** A call that makes other calls can be held several times. The user is never asked twice about the same held call. */
async function callUntilDecided(
  options: McpServerOptions,
  { resumed, signal, onHeld }: ToolCall,
  makeCall: MakeCall,
): Promise<CallOutcome> {
  const asked = new Set<string>(resumed === undefined ? [] : [resumed.approval]);
  // The client may have canceled while the list of tools was loaded.
  if (signal.aborted) throw callCanceled();
  let answer =
    resumed === undefined ? await makeCall() : await continueCall(options, resumed, makeCall, signal);
  while (answer.status === 'confirmation_required' && answer.error === undefined) {
    const { confirmation } = answer;
    if (asked.has(confirmation.token)) break;
    asked.add(confirmation.token);
    const isInnerCall = answer.tool !== confirmation.tool;
    const response = await onHeld({ confirmation, isInnerCall });
    if (response.kind === 'input-required') return { result: response.result };
    if (response.kind === 'not-asked' || signal.aborted) break;
    const decision = response.kind === 'decided' ? response.decision : 'elsewhere';
    const decided = { approval: confirmation.token, isInnerCall, decision } as const;
    answer = await continueCall(options, decided, makeCall, signal);
  }
  return { answer };
}

/** Applies the decision, then runs the approved call or makes the outer call again. */
async function continueCall(
  { approvals, principal, approver }: McpServerOptions,
  { approval, isInnerCall, decision, waitMs = 0 }: ResumedCall,
  makeCall: MakeCall,
  signal: CancelSignal,
): Promise<Answer> {
  if (decision === 'elsewhere') {
    if (waitMs > 0) await waitForDecision(approvals, approval, { timeoutMs: waitMs, signal });
    if (signal.aborted) throw callCanceled();
  } else {
    if (approver === null) throw new Error('this client may not decide');
    await applyDecision({ approval, decision, by: principal, client: approver }, approvals);
  }
  if (isInnerCall && decision !== 'deny') return makeCall();
  return makeCall({ tool: confirmToolName, arguments: { confirmation_token: approval } });
}

/** Characters of the `_meta` of a request as JSON. */
const maxMeta = 16_384;

/** Checks the parameters of `tools/call`, for both eras. */
export function readCallParams(params: JsonObject): {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly meta?: JsonObject;
} {
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string')
    throw new RpcError(invalidParams, 'tools/call needs "name": the name of a tool');
  if (!isObject(args)) throw new RpcError(invalidParams, '"arguments" must be an object');
  const { progressToken: _, ...meta } = isObject(params._meta) ? withoutReservedMeta(params._meta) : {};
  if (JSON.stringify(meta).length > maxMeta)
    throw new RpcError(invalidParams, `"_meta" is longer than ${maxMeta} characters`);
  return { name, arguments: args, ...(Object.keys(meta).length === 0 ? {} : { meta }) };
}
