import type {
  Answer,
  ChangeProgress,
  RemoteCallRequest,
  RemoteHost,
  RemoteSession,
} from '../../host/host.js';
import type { ConsoleCallEvent } from '../../serve/http/console/console-call.js';
import type { ExemptionChange } from '../../serve/http/console/console-exemptions.js';
import { checkConnection, post, signedOut, untilLost } from './connection.js';
import { askForPin } from './pin-request.js';

/** An operation that failed, in the words of the host. */
export class OperationError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Stands for the person in front of the page. The host knows who that is, and ignores what is sent. */
export const me = 'console';

/** The host, as the library has it: every method sends its operation. */
export const hostApi = proxyOf([]) as Omit<RemoteHost, 'session' | 'close'>;
/** The session of the console: the packages that this host serves. */
export const sessionApi = proxyOf(['session']) as Omit<RemoteSession, 'close'>;

/** Calls a tool through the call pipeline, as the operator. `onEvent`: what happens meanwhile. Aborting cancels the call. */
export function runTool(
  request: RemoteCallRequest,
  onEvent: (event: ConsoleCallEvent) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const options = { onEvent, signal };
  return performAt('operations/session.call', { args: [request] }, options) as Promise<Answer>;
}

/** Shows what keeping a finding of the scanner would write, or writes it. */
export function exemption(name: 'plan' | 'write', setting: string): Promise<ExemptionChange> {
  return performAt(`exemptions/${name}`, { setting }) as Promise<ExemptionChange>;
}

/** The path for a frame with the static page of a package. */
export function framedPage(id: string): Promise<string> {
  return performAt('frame', { package: id }) as Promise<string>;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

function proxyOf(path: readonly string[]): unknown {
  const method: Method = (...args) => {
    const last = args.at(-1) as { readonly onProgress?: OnProgress } | undefined;
    const onProgress = typeof last === 'object' && last !== null ? last.onProgress : undefined;
    const onEvent = onProgress && (({ progress }: OperationAnswer) => progress && onProgress(progress));
    return performAt(`operations/${path.join('.')}`, { args }, { onEvent });
  };
  return new Proxy(method, { get: (_, name) => proxyOf([...path, String(name)]) });
}

type OnProgress = (progress: ChangeProgress) => void;
interface SendOptions {
  /** Called with each event that comes before the answer. */
  readonly onEvent?: ((event: never) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface OperationAnswer {
  readonly result?: unknown;
  readonly progress?: ChangeProgress;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

const canceled: OperationAnswer = { error: { code: 'canceled', message: 'The call was canceled.' } };

/** Asks for the PIN if the host wants it, and then tries again. */
async function performAt(path: string, body: object, options: SendOptions = {}): Promise<unknown> {
  let answer = await send(path, body, options);
  while (answer.error?.code === 'pin_required') {
    if (!(await askForPin())) throw new OperationError('canceled', 'Nothing was changed.');
    answer = await send(path, body, options);
  }
  if (answer.error !== undefined) {
    const { code, message, hint } = answer.error;
    throw new OperationError(code, message, hint);
  }
  return answer.result;
}

async function send(path: string, body: object, { onEvent, signal }: SendOptions): Promise<OperationAnswer> {
  const accept = onEvent === undefined ? undefined : 'text/event-stream, application/json';
  // What shows progress may take long, and says by itself that it goes on.
  const lost = onEvent === undefined ? untilLost() : undefined;
  const response = await post(path, body, signal ?? lost, accept).catch(() => undefined);
  if (signal?.aborted === true) return canceled;
  if (response === undefined) return unreachable();
  if (response.status === 401) {
    signedOut('Your sign-in has expired.');
    throw new OperationError('auth_required', 'This browser is not signed in.');
  }
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
    return readEvents(response, onEvent ?? (() => {})).catch((error: unknown) => {
      if (signal?.aborted === true) return canceled;
      void checkConnection();
      return { error: { code: 'host_unreachable', message: `The connection was lost: ${String(error)}` } };
    });
  const answer = (await response.json().catch(() => undefined)) as OperationAnswer | undefined;
  if (answer !== undefined) return answer;
  if (lost?.aborted === true) return unreachable();
  void checkConnection();
  return { error: { code: 'internal', message: `The host answered with status ${response.status}.` } };
}

function unreachable(): OperationAnswer {
  void checkConnection();
  return { error: { code: 'host_unreachable', message: 'The host does not answer.' } };
}

/** Events with progress; the last one is the answer. */
async function readEvents(response: Response, onEvent: (event: never) => void): Promise<OperationAnswer> {
  let text = '';
  let answer: OperationAnswer = { error: { code: 'host_unreachable', message: 'The connection was lost.' } };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return answer;
    text += part.value;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === undefined) continue;
      const value = JSON.parse(data) as OperationAnswer;
      if ('result' in value || 'error' in value) answer = value;
      else onEvent(value as never);
    }
  }
}
