import type { ChangeProgress, RemoteHost } from '../../host/host.js';
import type { OnProgress } from '../../host/operations/operation-input.js';
import { remoteHost, remoteSession, type SendOperation } from '../../host/operations/remote-host.js';
import { HostError, type HostErrorCode, hostErrorCodes } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { answerLimits, tryParseBounded } from '../../model/json-bounds.js';

export interface HttpHostOptions {
  /** The address that `toolwharf serve` prints, such as `http://127.0.0.1:8377`. */
  readonly url: string;
  /** An access token. Most operations need one with the role operator. */
  readonly token: string;
}

/**
 * A host behind `toolwharf serve`. All sessions are the one session that the server opens for the token, so the options
 * of a session are those of the server. A session that only looks cannot be had this way.
 */
export function openHttpHost({ url, token }: HttpHostOptions): RemoteHost {
  const base = new URL(url);
  const send: SendOperation = async ({ name }, input, { by, signal, onProgress }) => {
    if (signal?.aborted === true) throw new HostError('canceled', 'the call was canceled');
    const pin = typeof by === 'object' ? by.pin : undefined;
    const signIn = typeof by === 'object' ? by.signIn : undefined;
    const stop = new AbortController();
    signal?.addEventListener('abort', () => stop.abort(), { once: true });
    let response: Response;
    try {
      response = await fetch(new URL(`/api/v1/operations/${name}`, base), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(onProgress === undefined ? {} : { accept: 'text/event-stream, application/json' }),
          ...(pin === undefined ? {} : { 'toolwharf-pin': pin }),
          ...(signIn === undefined ? {} : { 'toolwharf-sign-in': signIn }),
        },
        body: JSON.stringify(input),
        redirect: 'error',
        signal: stop.signal,
      });
    } catch (error) {
      if (stop.signal.aborted) throw new HostError('canceled', 'the call was canceled', { cause: error });
      throw new HostError('host_unreachable', `no host answers at ${base.origin}`, {
        cause: error,
        hint: 'start it: toolwharf serve',
      });
    }
    const body = await replyIn(response, onProgress).catch((error: unknown) => {
      if (stop.signal.aborted) throw new HostError('canceled', 'the call was canceled', { cause: error });
      return null;
    });
    if (response.ok && isObject(body) && 'result' in body) return body.result;
    throw errorIn(body, response.status);
  };
  return remoteHost({
    send,
    session: async ({ intent = 'use' }) => {
      if (intent !== 'use')
        throw new HostError('not_supported', `a session over HTTP cannot have the intent ${intent}`, {
          hint: 'connect by the state directory, on the machine of the host',
        });
      return remoteSession(send, async () => {});
    },
    close: async () => {},
  });
}

/** The reply; if the server sends events, the last one. Earlier events are progress. */
async function replyIn(response: Response, onProgress: OnProgress | undefined): Promise<Json> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || response.body === null) return (await response.json()) as Json;
  let last: Json = null;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue;
      last = tryParseBounded(line.slice('data: '.length), answerLimits) ?? null;
      if (isObject(last) && last.progress !== undefined)
        onProgress?.(last.progress as unknown as ChangeProgress);
    }
  }
  return last;
}

function errorIn(body: Json, status: number): HostError {
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error)) return new HostError('host_unreachable', `the server answered with status ${status}`);
  const { code, message, hint } = error;
  const known = hostErrorCodes.find((it) => it === code) as HostErrorCode | undefined;
  return new HostError(known ?? 'internal', String(message), typeof hint === 'string' ? { hint } : {});
}
