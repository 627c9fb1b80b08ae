import type { Progress } from '../../host/host.js';
import { asHostError, HostError } from '../../model/host-error.js';
import type { JsonObject, JsonSchema } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import { errorTable } from '../errors.js';
import { type Ask, callTool, type Held, type Hold, type Resumed, readCall } from './calls.js';
import { Changes } from './changes.js';
import type { FrontOptions } from './front.js';
import { HoldTimeout } from './hold.js';
import { Fault, failure, type Reply, type RequestId, unknownMethod } from './message.js';
import type { Page } from './pages.js';
import { traceOf } from './progress.js';
import { PromptCatalog } from './prompts.js';
import { ResourceCatalog } from './resources.js';
import { ToolCatalog } from './tool-catalog.js';
import type { Shape } from './tools.js';

/** One request, free of everything that only its era knows. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal: Signal;
  readonly shape: Shape;
  readonly resumed?: Resumed | undefined;
  readonly onHeld: (hold: Hold) => Promise<Held>;
  readonly onProgress: (progress: Progress) => void;
  /** Puts a question of a tool to the person at the client; absent where the client cannot. */
  readonly onAsk?: Ask | undefined;
}

export type Answered =
  | { readonly kind: 'list'; readonly key: string; readonly page: Page }
  | { readonly kind: 'result'; readonly result: JsonObject };

/** What the eras share: the same lists, calls and texts, however they are wrapped. */
export interface Dispatch {
  readonly options: FrontOptions;
  readonly changes: Changes;
  /** How often this caller's person is asked. */
  readonly patience: HoldTimeout;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string;
  /** The input schema of a tool, by any of its names. */
  inputOf(tool: string): Promise<JsonSchema | undefined>;
  /** Throws a `Fault` for what is no sound request. */
  answer(asked: Asked): Promise<Answered>;
  /** What went wrong, as the client may see it; a bug keeps its details for the log. */
  failed(id: RequestId, error: unknown): Reply;
  close(): void;
}

export function createDispatch(options: FrontOptions): Dispatch {
  const { session, version } = options;
  const tools = new ToolCatalog(session, options.expose);
  const prompts = new PromptCatalog(session);
  const resources = new ResourceCatalog(session, prompts, options.results, options.holder);
  const changes = new Changes();
  const stop = session.onChange(() => {
    tools.forget();
    prompts.forget();
    resources.forget();
    changes.note();
  });

  const answer = async (asked: Asked): Promise<Answered> => {
    const { method, params } = asked;
    const { cursor } = params;
    switch (method) {
      case 'tools/list':
        return { kind: 'list', key: 'tools', page: (await tools.list(asked.shape)).page(cursor) };
      case 'prompts/list':
        return { kind: 'list', key: 'prompts', page: (await prompts.list()).page(cursor) };
      case 'resources/list':
        return { kind: 'list', key: 'resources', page: (await resources.list()).page(cursor) };
      case 'resources/templates/list':
        return { kind: 'list', key: 'resourceTemplates', page: (await resources.templates()).page(cursor) };
      case 'tools/call': {
        const { shape, signal, resumed, onHeld, onProgress, onAsk } = asked;
        const call = { ...readCall(params), shape, signal, resumed, onHeld, onProgress, onAsk };
        return { kind: 'result', result: traced(await callTool(options, tools, call), params) };
      }
      case 'prompts/get':
        return { kind: 'result', result: traced(await prompts.get(params, asked.signal), params) };
      case 'resources/read':
        return { kind: 'result', result: traced(await resources.read(params, asked.signal), params) };
      default:
        throw new Fault(unknownMethod, `the method ${JSON.stringify(method)} is not known`);
    }
  };

  return {
    options,
    changes,
    patience: new HoldTimeout(options.now),
    serverInfo: { name: 'toolwharf', title: 'Toolwharf', version },
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    },
    instructions,
    inputOf: async (tool) => (await tools.find(tool))?.tool.input,
    answer,
    failed(id, error) {
      if (error instanceof Fault) return failure(id, error.code, error.message, error.data);
      if (!(error instanceof HostError)) options.onBug(error);
      const { code, message, hint } = asHostError(error);
      const text = hint === undefined || code === 'internal' ? message : `${message}; ${hint}`;
      return failure(id, errorTable[code].rpc, text);
    },
    close() {
      stop();
      changes.close();
    },
  };
}

const instructions =
  'Tools of several packages, each confined to what it declares. Where only tools to search, describe and call are listed, search for what you need first. A call may be held for a person: tell the user what would run and why, and call patch_confirm_action with the token once they have approved it outside this conversation.';

function traced(result: JsonObject, params: JsonObject): JsonObject {
  const trace = traceOf(params._meta);
  if (Object.keys(trace).length === 0) return result;
  return { ...result, _meta: { ...(result._meta as JsonObject | undefined), ...trace } };
}
