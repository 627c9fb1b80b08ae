import type { Answer, Confirmation, Progress } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import { callToolName, confirmToolName, describeToolName, findToolName } from '../../model/tool-name.js';
import { visible, visibleLine } from '../print/visible.js';
import type { FrontOptions } from './front.js';
import { type Decision, settle } from './hold.js';
import { badParams, Fault } from './message.js';
import { describeTool, findTools, misused } from './meta-tools.js';
import type { ToolCatalog } from './tool-catalog.js';
import { callResult, errorResult, type Shape } from './tools.js';

/** Puts a question of a tool to a person. */
export type Ask = (question: JsonObject) => Promise<JsonObject>;

/** How a held call goes on. `told`: this client cannot be asked, so the model is told. */
export type Held =
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'asking'; readonly result: JsonObject }
  | { readonly kind: 'told' };

/** `again`: a call further down is held; once it is decided the whole call is made again. */
export interface Hold {
  readonly confirmation: Confirmation;
  readonly again: boolean;
}

export interface Resumed {
  readonly approval: string;
  readonly again: boolean;
  readonly decision: Decision;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly signal: Signal;
  readonly shape: Shape;
  /** The decision that this request brings with it. */
  readonly resumed?: Resumed | undefined;
  readonly onHeld: (hold: Hold) => Promise<Held>;
  readonly onProgress: (progress: Progress) => void;
  readonly onAsk?: Ask | undefined;
}

/** One request for a tool, from its name to the result that the model reads. */
export async function callTool(
  options: FrontOptions,
  catalog: ToolCatalog,
  call: ToolCall,
): Promise<JsonObject> {
  const { name, shape } = call;
  const searching = await catalog.searching();
  if (searching && name === findToolName) return findTools(catalog, call.arguments);
  if (searching && name === describeToolName) return describeTool(catalog, call.arguments, shape);
  const through = searching && name === callToolName;
  if (through && typeof call.arguments.name !== 'string')
    return misused(`${callToolName} needs the name of a tool`);
  const target = through
    ? { tool: call.arguments.name as string, arguments: call.arguments.arguments ?? {} }
    : { tool: name, arguments: call.arguments };
  const { signal, onProgress, onAsk } = call;
  const asking = onAsk === undefined ? {} : { onAsk: framed(target.tool, onAsk) };
  const make: Make = (it = target) => options.session.call({ ...it, signal, onProgress, ...asking });
  try {
    const outcome = await answered(options, call, make);
    if ('result' in outcome) return outcome.result;
    const { given } = outcome;
    if (!through && given.status === 'error' && given.error.code === 'tool_not_found')
      throw new Fault(badParams, given.error.message);
    const promised = !through && name !== confirmToolName;
    return callResult(given, {
      shape,
      tool: promised ? await catalog.find(given.tool) : undefined,
      keep: (result) => options.results.keep(options.holder, result),
    });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}\n${error.hint}`;
    return errorResult(text, { 'toolwharf/status': 'denied', 'toolwharf/code': error.code });
  }
}

/** A person sees who asks, and every character of it. Secrets and sign-ins are never asked for by a tool. */
function framed(tool: string, ask: Ask): Ask {
  return async ({ message, mode, requestedSchema }) => {
    if ((mode !== undefined && mode !== 'form') || !isObject(requestedSchema)) return { action: 'decline' };
    const words = visible(typeof message === 'string' ? message : '').slice(0, 4000);
    return ask({ message: `The tool ${visibleLine(tool)} asks:\n\n${words}`, requestedSchema });
  };
}

/** Makes the call, or one in its place, for the same caller. */
type Make = (target?: { readonly tool: string; readonly arguments: Json }) => Promise<Answer>;

type Outcome = { readonly given: Answer } | { readonly result: JsonObject };

/** A call can be held more than once when it is made of others; the same question is never put twice. */
async function answered(
  options: FrontOptions,
  { resumed, signal, onHeld }: ToolCall,
  make: Make,
): Promise<Outcome> {
  const asked = new Set<string>();
  // It may have been given up while the list of tools was read.
  if (signal.aborted) throw new HostError('canceled', 'the call was given up');
  let given = resumed === undefined ? await make() : await decided(options, resumed, make);
  while (given.status === 'confirmation_required' && given.error === undefined) {
    const { confirmation } = given;
    if (asked.has(confirmation.token)) break;
    asked.add(confirmation.token);
    const again = given.tool !== confirmation.tool;
    const held = await onHeld({ confirmation, again });
    if (held.kind === 'asking') return { result: held.result };
    if (held.kind === 'told' || signal.aborted) break;
    const { decision } = held;
    given = await decided(options, { approval: confirmation.token, again, decision }, make);
  }
  return { given };
}

async function decided(
  { approvals, principal }: FrontOptions,
  { approval, again, decision }: Resumed,
  make: Make,
): Promise<Answer> {
  await settle({ approval, decision, by: `${principal} through its client` }, approvals);
  if (again && decision === 'approve') return make();
  return make({ tool: confirmToolName, arguments: { confirmation_token: approval } });
}

/** The parts of `tools/call` that both eras check alike. */
export function readCall(params: JsonObject): { readonly name: string; readonly arguments: JsonObject } {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') throw new Fault(badParams, 'tools/call needs the name of a tool');
  if (!isObject(given)) throw new Fault(badParams, 'the arguments of a tool are an object');
  return { name, arguments: given };
}
