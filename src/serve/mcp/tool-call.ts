import type { Answer, CallLogging, ClientRequests, Confirmation, Progress } from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { callCanceled, HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { userTextKey } from '../../model/reserved-meta.js';
import {
  callToolName,
  confirmToolName,
  describeToolName,
  findToolName,
  requestInstallName,
} from '../../model/tool-name.js';
import { applyDecision, type UserDecision } from './approval-question.js';
import { type AskUser, attributed } from './attributed-question.js';
import type { ResultShape } from './content-parts.js';
import { invalidParams, RpcError } from './json-rpc.js';
import { describeTool, findTools, invalidUse } from './meta-tool-calls.js';
import { missingCapability } from './missing-capability.js';
import { askForPackage } from './package-request.js';
import { waitForDecision } from './page-question.js';
import { requiredPages } from './required-pages.js';
import { sentMeta } from './sent-meta.js';
import type { McpServerOptions } from './server-options.js';
import type { ToolCatalog } from './tool-catalog.js';
import { callResult, errorResult } from './tool-mapping.js';

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
  /** What the client says its user wrote. */
  readonly clientText?: Json | undefined;
  readonly signal: CancelSignal;
  readonly shape: ResultShape;
  /** Whether the client shows MCP Apps. Default: no. */
  readonly showsApps?: boolean | undefined;
  /** Set if this request carries the user's decision on a held call. */
  readonly resumed?: ResumedCall | undefined;
  readonly onHeld: (hold: HeldCall) => Promise<HoldResponse>;
  /** Absent if the client did not ask for progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Sends log messages of the tool's server to the client. Absent if it wants none. */
  readonly logging?: CallLogging | undefined;
  /** Sends a tool's question to the user. Absent if the client cannot show it. */
  readonly onAsk?: AskUser | undefined;
  /** Called when the tool's server runs the call as a task. */
  readonly onTask?: (() => void) | undefined;
  /** Passes other requests of the tool's server to the client. Absent if it answers none. */
  readonly clientRequests?: ClientRequests | undefined;
  /** What a 2026 client declared. It gets the error of a server that needs more. Absent: the error is a result. */
  readonly declared?: JsonObject | undefined;
  /** Whether a 2025 client gets the error of a server that needs pages opened first. Absent: the error is a result. */
  readonly opensPages?: boolean | undefined;
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
  const { signal, onProgress, onAsk, onTask, clientRequests, logging, meta, clientText } = call;
  // An app calls its tools by name. What comes through a meta-tool is a call of the model.
  const apps = call.showsApps === true && !isMetaCall ? 'shown' : 'hidden';
  const asking = onAsk && attributed('tool', target.tool, onAsk);
  const makeCall: MakeCall = (it = target) =>
    options.session.call({
      tool: it.tool,
      arguments: it.arguments,
      signal,
      onProgress,
      onAsk: asking,
      onTask,
      clientRequests,
      logging,
      meta,
      clientText,
      apps,
    });
  try {
    const outcome = await callUntilDecided(options, call, makeCall);
    if ('result' in outcome) return outcome.result;
    const { answer } = outcome;
    if (!isMetaCall && answer.status === 'error' && answer.error.code === 'tool_not_found')
      throw new RpcError(invalidParams, answer.error.message);
    if (call.declared !== undefined && answer.status === 'error') {
      const missing = missingCapability(answer.error.toolError, call.declared);
      if (missing !== undefined) throw missing;
    }
    if (call.opensPages === true && answer.status === 'error') {
      const pages = requiredPages(answer.error.toolError, `The tool ${target.tool}`);
      if (pages !== undefined) throw pages;
    }
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
  const isDenied = decision !== 'elsewhere' && decision.answer === 'deny';
  if (isInnerCall && !isDenied) return makeCall();
  return makeCall({ tool: confirmToolName, arguments: { confirmation_token: approval } });
}

/** Checks the parameters of `tools/call`, for both eras. */
export function readCallParams(params: JsonObject): {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly meta?: JsonObject;
  readonly clientText?: Json;
} {
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string')
    throw new RpcError(invalidParams, 'tools/call needs "name": the name of a tool');
  if (!isObject(args)) throw new RpcError(invalidParams, '"arguments" must be an object');
  if (params._meta === undefined) return { name, arguments: args };
  const clientText = isObject(params._meta) ? params._meta[userTextKey] : undefined;
  return {
    ...{ name, arguments: args },
    ...sentMeta(params),
    ...(clientText === undefined ? {} : { clientText }),
  };
}
