import type { Confirmation } from '../../host/host.js';
import { appExtension, appSettings, showsApps } from '../../model/app-resource.js';
import { asHostError, HostError } from '../../model/host-error.js';
import type { Json, JsonObject, JsonSchema } from '../../model/json.js';
import {
  callToolName,
  confirmToolName,
  describeToolName,
  findToolName,
  requestInstallName,
} from '../../model/tool-name.js';
import { methodNotFound } from '../../wire/rpc-code.js';
import { errorTable } from '../errors.js';
import { QuestionLimit, supportsForms } from './approval-question.js';
import { ChangeNotifier } from './change-notifier.js';
import { answerCompletion } from './completion.js';
import { joinedInstructions } from './joined-instructions.js';
import { type RequestId, RpcError, type RpcReply, rpcErrorReply } from './json-rpc.js';
import { NamedSessions } from './named-sessions.js';
import { supportsUrls } from './page-question.js';
import type { Page } from './paged-list.js';
import { traceOf } from './progress.js';
import { PromptCatalog } from './prompt-catalog.js';
import { ResourceCatalog } from './resource-catalog.js';
import { reviewNote } from './review-note.js';
import type { McpServerOptions } from './server-options.js';
import { handleToolCall, readCallParams, type ToolCall } from './tool-call.js';
import { ToolCatalog } from './tool-catalog.js';
import { WatchedResources } from './watched-resources.js';

/** Within ten minutes. */
const maxClientRequests = 120;

/** One request, independent of the protocol era. */
export interface DispatchRequest extends Omit<ToolCall, 'name' | 'arguments' | 'meta'> {
  readonly method: string;
  readonly params: JsonObject;
  /** Under which name the client's session keeps what it has seen. Undefined: that of the host session. */
  readonly sessionName?: string | undefined;
}

export type DispatchResult =
  | { readonly kind: 'list'; readonly key: string; readonly page: Page }
  | { readonly kind: 'result'; readonly result: JsonObject };

/** The part that both eras share: lists, calls and texts. Each era only wraps them differently. */
export interface Dispatch {
  readonly options: McpServerOptions;
  readonly changes: ChangeNotifier;
  /** Limits how often this caller's user is asked. */
  readonly questionLimit: QuestionLimit;
  /** Limits how often this caller's client is asked by servers: for a sample of its model, or its roots. */
  readonly requestLimit: QuestionLimit;
  /**
   * How the user of a client is asked about a held call. `form`: the answer decides. `page`: the user is sent to the page of
   * the call. Null: not at all. Counts the question.
   */
  approvalWay(confirmation: Confirmation, capabilities: Json | undefined): 'form' | 'page' | null;
  readonly serverInfo: JsonObject;
  /** What the server offers to a client. */
  capabilities(client: Json | undefined): Promise<JsonObject>;
  /** What a client's model reads first, with the packages that need review now. */
  instructions(): Promise<string>;
  /** The input schema of a tool, by any of its names. */
  inputSchemaOf(tool: string): Promise<JsonSchema | undefined>;
  /** How clients may run a tool, by any of its names. */
  executionOf(tool: string): Promise<JsonObject | undefined>;
  /**
   * A new list of watched resources for one client, in the session with this name. `report`: called with the address of a
   * resource that was updated.
   */
  watchedResources(report: (uri: string) => void, sessionName: string | undefined): WatchedResources;
  /** Who holds what the session with this name was given: the caller, and the name. */
  holderOf(sessionName: string | undefined): string;
  /** Notes text of another session before the session with this name shows it. */
  note(sessionName: string | undefined, from: string, content: Json): Promise<void>;
  /** Throws an `RpcError` for an invalid request. */
  answer(request: DispatchRequest): Promise<DispatchResult>;
  /** The error reply for anything thrown. Details of a bug go to the log only. */
  errorReply(id: RequestId, error: unknown): RpcReply;
  /** The same as data. */
  errorOf(error: unknown): { readonly code: number; readonly message: string; readonly data?: Json };
  close(): void;
}

export function createDispatch(options: McpServerOptions): Dispatch {
  const { session, version } = options;
  const tools = new ToolCatalog(session, options);
  const prompts = new PromptCatalog(session);
  const resources = new ResourceCatalog(session, prompts, options.results);
  const changes = new ChangeNotifier();
  const named = new NamedSessions(options);
  const stop = session.onChange(() => {
    tools.invalidate();
    prompts.invalidate();
    resources.invalidate();
    changes.notify();
  });

  const answer = async (request: DispatchRequest): Promise<DispatchResult> => {
    const { method, params, sessionName } = request;
    const { cursor } = params;
    // What one session was shown, large results included, does not reach another one unnoticed.
    const own = named.of(sessionName);
    switch (method) {
      case 'tools/list':
        return { kind: 'list', key: 'tools', page: (await tools.list(request)).page(cursor) };
      case 'prompts/list':
        return { kind: 'list', key: 'prompts', page: (await prompts.list()).page(cursor) };
      case 'resources/list':
        return { kind: 'list', key: 'resources', page: (await resources.list()).page(cursor) };
      case 'resources/templates/list':
        return { kind: 'list', key: 'resourceTemplates', page: (await resources.templates()).page(cursor) };
      case 'tools/call': {
        const result = await handleToolCall(own, tools, toolCallOf(request));
        return { kind: 'result', result: traced(result, params) };
      }
      case 'completion/complete':
        return { kind: 'result', result: await answerCompletion(own.session, params, request.signal) };
      case 'prompts/get':
        return {
          kind: 'result',
          result: traced(await prompts.get(params, { ...request, session: own.session }), params),
        };
      case 'resources/read': {
        const reading = { ...request, session: own.session, holder: own.holder };
        return { kind: 'result', result: traced(await resources.read(params, reading), params) };
      }
      default:
        throw new RpcError(methodNotFound, `unknown method ${JSON.stringify(method)}`);
    }
  };

  const errorOf: Dispatch['errorOf'] = (error) => {
    if (error instanceof RpcError) {
      const { code, message, data } = error;
      return { code, message, ...(data === undefined ? {} : { data }) };
    }
    if (!(error instanceof HostError)) options.onBug(error);
    const { code, message, hint } = asHostError(error);
    const text = hint === undefined || code === 'internal' ? message : `${message}; ${hint}`;
    return { code: errorTable[code].rpc, message: text };
  };

  const questionLimit = new QuestionLimit(options.now);
  return {
    options,
    changes,
    questionLimit,
    requestLimit: new QuestionLimit(options.now, maxClientRequests),
    approvalWay({ url }, capabilities) {
      // A question about each call of a loop would tire the user, wherever it is answered.
      const mayDecide = options.approver !== null && supportsForms(capabilities);
      if (!mayDecide && (url === undefined || !supportsUrls(capabilities))) return null;
      if (!questionLimit.take()) return null;
      return mayDecide ? 'form' : 'page';
    },
    serverInfo: { name: 'toolwharf', title: 'Toolwharf', version },
    capabilities: async (client) => ({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
      ...(showsApps(client) && (await tools.hasApps())
        ? { extensions: { [appExtension]: appSettings } }
        : {}),
    }),
    instructions: async () => {
      const asking = (await tools.offersRequests()) ? requestUsage : '';
      const review = reviewNote((await session.packages()).packages, options.state);
      return `${usage}${asking}${review}${joinedInstructions(await session.instructions())}`;
    },
    inputSchemaOf: async (tool) => (await tools.find(tool))?.tool.input,
    executionOf: async (tool) => (await tools.find(tool))?.tool.execution,
    holderOf: (sessionName) => named.of(sessionName).holder,
    note: (sessionName, from, content) => named.of(sessionName).session.note(from, content),
    watchedResources: (report, sessionName) =>
      new WatchedResources(
        { subscribe: (...args) => resources.subscribe(named.of(sessionName).session, ...args) },
        report,
      ),
    answer,
    errorReply(id, error) {
      const { code, message, data } = errorOf(error);
      return rpcErrorReply(id, code, message, data);
    },
    errorOf,
    close() {
      stop();
      changes.close();
    },
  };
}

/** Member by member: it is made for each call, and a spread with new members is slow. */
function toolCallOf(request: DispatchRequest): ToolCall {
  const { name, arguments: args, meta, clientText } = readCallParams(request.params);
  const { shape, showsApps, signal, resumed, declared, opensPages } = request;
  const { onHeld, onProgress, onAsk, onTask, clientRequests, logging } = request;
  return {
    name,
    arguments: args,
    meta,
    clientText,
    shape,
    showsApps,
    signal,
    resumed,
    onHeld,
    onProgress,
    onAsk,
    onTask,
    clientRequests,
    logging,
    declared,
    opensPages,
  };
}

const usage = `This server runs tools of several packages, each in its own sandbox. If only ${findToolName}, ${describeToolName} and ${callToolName} are listed, search for the tool you need with ${findToolName} first. A call may be held until a person approves it. In that case, tell the user which call is held and why, and where to decide. Wait until they have decided, outside this conversation; never open the link yourself. Then make the same call again, or call ${confirmToolName} with the confirmation token.`;

const requestUsage = ` If no tool can do what is needed and you know a package that can, ask for it with ${requestInstallName}. A person decides outside this conversation; tell the user what you asked for.`;

function traced(result: JsonObject, params: JsonObject): JsonObject {
  const trace = traceOf(params._meta);
  if (Object.keys(trace).length === 0) return result;
  return { ...result, _meta: { ...(result._meta as JsonObject | undefined), ...trace } };
}
