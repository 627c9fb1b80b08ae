import type { Session } from '../../host/host.js';
import { asHostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { failure, type Message, type Request, type RequestId, success } from './message.js';
import { callResult, toolList } from './tools.js';

/** Revisions with the same messages for what is served here, newest first. */
const revisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export interface Dispatch {
  /** Whether the negotiated revision has batches; only one of them did. */
  readonly batches: boolean;
  /** The message to send back, if any. */
  receive(message: Message): Promise<JsonObject | undefined>;
  /** The client has gone: nothing it began goes on. */
  close(): void;
}

export interface DispatchOptions {
  readonly version: string;
  readonly onBug: (error: unknown) => void;
}

/** One client's requests in, answers out; which pipe they come through is somebody else's matter. */
export function createDispatch(session: Session, options: DispatchOptions): Dispatch {
  const running = new Map<RequestId, AbortController>();
  let revision = '';

  const initialize = (params: JsonObject): JsonObject => {
    const asked = params.protocolVersion;
    const protocolVersion =
      typeof asked === 'string' && revisions.includes(asked) ? asked : (revisions[0] as string);
    revision = protocolVersion;
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: 'toolport', title: 'Toolport', version: options.version },
      instructions:
        'Tools of several packages, each confined to what it declares. A call may be held for a person: tell the user what would run and why, and call patch_confirm_action with the token once they have approved it outside this conversation.',
    };
  };

  const answer = async (request: Request, signal: AbortSignal): Promise<JsonObject> => {
    switch (request.method) {
      case 'initialize':
        return success(request.id, initialize(request.params));
      case 'ping':
        return success(request.id, {});
      case 'tools/list':
        return success(request.id, { tools: toolList(await session.tools()) });
      case 'tools/call': {
        const { name } = request.params;
        if (typeof name !== 'string')
          return failure(request.id, -32602, 'tools/call needs the name of a tool');
        const tools = await session.tools();
        const result = await session.call({ tool: name, arguments: request.params.arguments ?? {}, signal });
        if (result.status === 'error' && result.error.code === 'tool_not_found')
          return failure(request.id, -32602, result.error.message);
        return success(
          request.id,
          callResult(
            result,
            tools.find((it) => it.exposed === name || it.name === name),
          ),
        );
      }
      default:
        return failure(request.id, -32601, `the method ${JSON.stringify(request.method)} is not known`);
    }
  };

  return {
    get batches() {
      return revision === '2025-03-26';
    },
    async receive(message) {
      if (message.kind === 'response') return undefined;
      if (message.kind === 'notification') {
        const { requestId } = message.params;
        if (
          message.method === 'notifications/cancelled' &&
          (typeof requestId === 'string' || typeof requestId === 'number')
        )
          running.get(requestId)?.abort();
        return undefined;
      }
      if (running.has(message.id)) return failure(message.id, -32600, 'a request with this id is under way');
      const controller = new AbortController();
      running.set(message.id, controller);
      try {
        const response = await answer(message, controller.signal);
        // A cancelled request gets no answer.
        return controller.signal.aborted ? undefined : response;
      } catch (error) {
        options.onBug(error);
        return failure(message.id, -32603, asHostError(error).message);
      } finally {
        running.delete(message.id);
      }
    },
    close() {
      for (const controller of running.values()) controller.abort();
    },
  };
}
