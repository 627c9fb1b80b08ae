import { requestLimits, tryParseBounded } from '../../model/json-bounds.js';
import { readFirstLine } from '../../wire/lines.js';
import { connectToHost } from './connect.js';
import { helloLimit } from './hello.js';

/** A first line on the socket instead of a hello: asks the host to end, because another process takes its place. */
export interface HandoverRequest {
  readonly toolwharf: 'handover';
  readonly version: string;
  /** Process id of the host that takes over. */
  readonly process: number;
}

/** `handing-over`: the host ends now. `busy`: not now, ask again. `kept`: it does not hand over. */
export type HandoverAnswer =
  | { readonly toolwharf: 'handing-over'; readonly process: number; readonly clients: number }
  | { readonly toolwharf: 'busy'; readonly process: number; readonly reason: string }
  | { readonly toolwharf: 'kept'; readonly process: number; readonly reason: string };

/** A line to an MCP client on the socket, which is always our own `toolwharf mcp`: connect again. */
export interface HandoverNotice {
  readonly toolwharf: 'reconnect';
  /** Process id of the host that takes over; null if there is none. */
  readonly process: number | null;
}

/** What a host does when another process asks for its place. */
export type HandoverRule =
  /** It runs in the background and ends. */
  | { readonly kind: 'background'; readonly onHandover: () => void }
  /** Somebody started it and sees it. It stays, and says where it is. */
  | { readonly kind: 'foreground'; readonly describe: () => string };

export function isHandoverRequest(value: unknown): value is HandoverRequest {
  const { toolwharf, version, process: id } = (value ?? {}) as Partial<Record<string, unknown>>;
  return toolwharf === 'handover' && typeof version === 'string' && Number.isSafeInteger(id);
}

/** The process of a notice; undefined if the line is something else. No message of MCP begins like a notice. */
export function noticeIn(line: string): HandoverNotice | undefined {
  if (!line.startsWith('{"toolwharf":"reconnect"')) return undefined;
  return tryParseBounded(line, requestLimits) as HandoverNotice | undefined;
}

/** Asks the host of a state directory for its place. Undefined: no host listens, or it does not know the request. */
export async function askForHandover(
  state: string,
  request: Omit<HandoverRequest, 'toolwharf'>,
): Promise<HandoverAnswer | undefined> {
  const socket = await connectToHost(state);
  if (socket === undefined) return undefined;
  socket.on('error', () => {});
  try {
    socket.write(`${JSON.stringify({ toolwharf: 'handover', ...request })}\n`);
    const line = await readFirstLine(socket, helloLimit);
    const answer = tryParseBounded(line, requestLimits) as HandoverAnswer | undefined;
    return ['handing-over', 'busy', 'kept'].includes(answer?.toolwharf ?? '') ? answer : undefined;
  } catch {
    // The host ended meanwhile, or is of an older version.
    return undefined;
  } finally {
    socket.destroy();
  }
}
