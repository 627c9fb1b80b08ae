// What calls mean for the labels of their session: each is judged before it is decided, and everything that it returns in
// clear is noted before it leaves.

import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { TaintCall } from '../../policy/taint/judge-state.js';
import type { TaintHold, TaintMode } from '../../policy/taint/taint-verdict.js';
import { labelsOf, type ToolLabels } from '../../policy/taint/tool-labels.js';
import type { AskedClient, ClientRequests } from '../../run/run.js';
import type { Answer, MessageVerdict } from '../host.js';
import type { LabelSession } from '../operator/label-session.js';
import type { Call } from './call.js';
import type { CallServices } from './call-services.js';
import type { CallableTool } from './callable-tool.js';
import type { Caller } from './caller.js';
import type { FrozenCall } from './frozen-call.js';
import { hiddenAnswer, isHidden } from './hidden-results.js';

/** A call as the judge sees it. */
export function taintCallOf(
  callId: string,
  { callable, input }: Pick<FrozenCall, 'callable' | 'input'>,
): TaintCall {
  const { package: pkg, tool, labels } = callable;
  return { package: pkg.id, tool: tool.name, callId, labels, input };
}

/** Why the call waits for a person because of what its session has seen; undefined if it does not. */
export async function taintHoldOf(
  { audit }: Pick<CallServices, 'audit'>,
  call: Pick<Call, 'id' | 'caller' | 'request' | 'chain'>,
  frozen: FrozenCall,
): Promise<TaintHold | undefined> {
  if (call.request.isTyped === true && call.chain.length === 0) return undefined;
  const verdict = await judged(call, frozen);
  if (verdict.kind === 'hold') return verdict.hold;
  if (verdict.wouldHold !== undefined) {
    const { findings } = verdict.wouldHold;
    const body = {
      ...{ callId: call.id, principal: call.caller.principal, session: call.caller.id },
      ...{ tool: frozen.callable.name, wouldHold: findings.map(({ rule, pointer }) => ({ rule, pointer })) },
    };
    audit.enqueue({ kind: 'taint', body });
  }
  return undefined;
}

export async function judged({ id, caller }: Pick<Call, 'id' | 'caller'>, frozen: FrozenCall) {
  const labels = await caller.labels();
  return labels.judge(taintCallOf(id, frozen), frozen.callable.taintMode);
}

/** What a client gets before the answer. */
type NotedClient = Pick<AskedClient, 'onProgress' | 'onAsk' | 'logging' | 'clientRequests'>;

/** Notes everything that a running call sends before its answer. `run` starts when its label is on disk. */
export async function withNotedOutput<T>(
  call: Call,
  frozen: FrozenCall,
  run: (noted: NotedClient) => Promise<T>,
): Promise<T> {
  const labels = await call.caller.labels();
  const taintCall = taintCallOf(call.id, frozen);
  await labels.started(taintCall);
  const { callable } = frozen;
  const note = (value: Json) => labels.returned(taintCall, value);
  const mayGet = (answer: JsonObject) =>
    assertMayRead(call.caller, { ...taintCall, labels: contentLabels, input: answer }, callable.taintMode);
  return await run(notedClient(call.request, note, mayGet));
}

/**
 * What a server asks of the model or the program of a client is shown there. `mayGet`: throws if the server may not get an
 * answer. A model answers with what it has read.
 */
export function notedRequests(
  requests: ClientRequests | undefined,
  note: (value: Json) => void,
  mayGet: (answer: JsonObject) => Promise<void>,
): ClientRequests | undefined {
  if (requests === undefined) return undefined;
  const { capabilities, send } = requests;
  return {
    capabilities,
    send: async (method, params) => {
      note(params);
      const answer = await send(method, params);
      if (method === 'sampling/createMessage') await mayGet({ content: answer.content ?? null });
      return answer;
    },
  };
}

/** The client of a call or read, with everything noted that it gets before the answer. `mayGet`: as above. */
export function notedClient(
  { onProgress, onAsk, logging, clientRequests }: NotedClient,
  note: (value: Json) => void,
  mayGet: (answer: JsonObject) => Promise<void>,
): NotedClient {
  return {
    clientRequests: notedRequests(clientRequests, note, mayGet),
    onProgress:
      onProgress === undefined
        ? undefined
        : (progress) => {
            if (progress.message !== undefined) note(progress.message);
            onProgress(progress);
          },
    onAsk:
      onAsk === undefined
        ? undefined
        : (question) => {
            note(question);
            return onAsk(question);
          },
    logging:
      logging === undefined
        ? undefined
        : {
            level: logging.level,
            onMessage: (message) => {
              note(message);
              logging.onMessage(message);
            },
          },
  };
}

/** The answer of a call that ran: noted, it may leave. */
export async function notedAnswer(call: Call, frozen: FrozenCall, answer: Answer): Promise<Answer> {
  const labels = await call.caller.labels();
  const taintCall = taintCallOf(call.id, frozen);
  if (answer.status === 'ok' && isHidden(frozen.callable, answer)) {
    const id = labels.hide(taintCall, answer.result);
    labels.ended(taintCall);
    return hiddenAnswer(answer, id);
  }
  noteAnswer(labels, taintCall, answer);
  labels.ended(taintCall);
  await labels.saved();
  return answer;
}

/** The stored answer of an earlier call: noted, it may leave to this session too. */
export async function notedReplay(call: Call, callable: CallableTool, answer: Answer): Promise<Answer> {
  const labels = await call.caller.labels();
  const taintCall = taintCallOf(call.id, { callable, input: {} });
  await labels.started(taintCall);
  noteAnswer(labels, taintCall, answer);
  labels.ended(taintCall);
  return answer;
}

function noteAnswer(labels: LabelSession, taintCall: TaintCall, answer: Answer): void {
  const texts = textsOf(answer);
  if (texts.length > 0) labels.returned(taintCall, texts.length === 1 ? (texts[0] as Json) : texts);
}

/** Everything in an answer that the tool may have written. The result itself comes first, so that pointers fit it. */
function textsOf(answer: Answer): Json[] {
  switch (answer.status) {
    case 'ok': {
      const { result, log, warnings, parts, structured, meta, binary } = answer;
      // The blocks of an MCP result repeat its text. Beside structured content they are of their own.
      const blocks =
        parts !== undefined && (structured === true || typeof result !== 'string') ? [[...parts]] : [];
      return [
        ...(binary === undefined ? [result] : []),
        ...(log === undefined || log === '' ? [] : [log]),
        ...(warnings.length === 0 ? [] : [[...warnings]]),
        ...blocks,
        ...(meta === undefined ? [] : [meta]),
      ];
    }
    case 'confirmation_required':
      return [];
    default: {
      const { message, toolError, toolResult } = answer.error;
      const own = { toolError, toolResult } as unknown as JsonObject;
      return [message, ...(toolError === undefined && toolResult === undefined ? [] : [own])];
    }
  }
}

/** Notes the content of a prompt, a resource or a completion, before it leaves. `note`: for what leaves before the end. */
export async function notedContent<T>(
  caller: Pick<Caller, 'labels'>,
  taintCall: TaintCall,
  read: (note: (value: Json) => void) => Promise<T>,
): Promise<T> {
  const labels = await caller.labels();
  await labels.started(taintCall);
  try {
    const content = await read((value) => labels.returned(taintCall, value));
    labels.returned(taintCall, (content ?? null) as Json);
    await labels.saved();
    return content;
  } catch (error) {
    if (error instanceof HostError) labels.returned(taintCall, error.message);
    throw error;
  } finally {
    labels.ended(taintCall);
  }
}

/**
 * Denies what would take private tokens of other packages to a server: the address of a resource, the arguments of a prompt,
 * the answer of a model. Each can be chosen like an argument. Nobody is asked, because a read has no approval.
 */
export async function assertMayRead(
  caller: Pick<Caller, 'labels'>,
  taintCall: TaintCall,
  mode: TaintMode,
): Promise<void> {
  const labels = await caller.labels();
  const verdict = labels.judge(taintCall, mode === 'strict' ? 'standard' : mode);
  if (verdict.kind === 'hold')
    throw new HostError('denied', verdict.hold.findings.map((it) => it.forAgent).join('; '), {
      hint: 'read it with a tool, or let a person start the session anew',
    });
}

/** The message that hooks of extensions may have changed. */
export async function notedMessage(
  caller: Pick<Caller, 'labels'>,
  before: JsonObject,
  verdict: MessageVerdict,
): Promise<MessageVerdict> {
  const by = verdict.kind === 'go' ? (verdict.changedBy[0] ?? '') : verdict.by;
  const texts = verdict.kind === 'go' ? newTexts(before, verdict.message) : [verdict.reason];
  if (texts.length > 0)
    await notedContent(caller, contentCall(by, 'message hook', before), async () => texts);
  return verdict;
}

/** Arguments that a hook of an extension put into a call: nobody vouched for them. */
export async function noteHookArguments(call: Call, before: JsonObject, after: JsonObject): Promise<void> {
  const texts = newTexts(before, after);
  if (texts.length > 0)
    await notedContent(call.caller, contentCall('extension', 'before_tool_call', {}), async () => texts);
}

/** Text that reaches a session in another way than by its calls and reads. `way`: for the person who decides. */
export async function noteOther(
  caller: Pick<Caller, 'labels'>,
  from: string,
  content: Json,
  way = 'other session',
): Promise<void> {
  await notedContent(caller, contentCall(from, way, {}), async () => content);
}

function contentCall(packageId: string, tool: string, input: JsonObject): TaintCall {
  return { package: packageId, tool, callId: `${packageId} ${tool}`, input, labels: contentLabels };
}

/** Text of others, read from a server. */
export const contentLabels: ToolLabels = {
  ...labelsOf({
    ...{ input: {}, effect: 'read', effectDeclared: true, annotations: {} },
    ...{ untrustedInputs: [], network: true, files: false },
  }),
};

function newTexts(before: Json, after: Json): string[] {
  const known = new Set(textsIn(before));
  return textsIn(after).filter((it) => !known.has(it));
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, it]) => [key, ...textsIn(it)]);
}
