import type { Actor, ChangeProgress, Host, Operator, Session } from '../../host/host.js';
import { findOperation } from '../../host/operations/operations.js';
import { type OperationContext, performOperation } from '../../host/operations/perform.js';
import { Cancellation } from '../../model/cancel-signal.js';
import { asHostError, HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import {
  excessText,
  type JsonExcess,
  JsonExcessError,
  parseBounded,
  requestLimits,
} from '../../model/json-bounds.js';
import type { ByteBudget } from '../../wire/byte-budget.js';
import { FlowControl } from '../../wire/flow-control.js';
import type { LineConnection } from '../../wire/line-connection.js';
import { readLines } from '../../wire/lines.js';
import { limitProgress } from '../progress-limit.js';

/** One request on the socket. A line `{cancel: id}` cancels a request. */
export interface SocketRequest {
  readonly id: number;
  /** Name of an operation. */
  readonly operation: string;
  readonly input: JsonObject;
  /** Who performs it: a name, or a name and the PIN. */
  readonly by?: Json;
  /** The request was canceled before it was sent. */
  readonly canceled?: boolean;
  /** Lines `{id, progress}` are wanted before the answer. */
  readonly progress?: boolean;
}

export interface HostRequestsOptions {
  /** Shared by all connections. */
  readonly budget: ByteBudget;
  /** Whose budget the connection uses. */
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

/** Serves the operations of the host over a connection. Running calls are canceled when it closes. */
export function serveHostRequests(
  host: Host,
  session: Session,
  connection: LineConnection,
  { budget, principal, now, onBug }: HostRequestsOptions,
): void {
  const share = budget.open(principal);
  const running = new Map<number, Cancellation>();
  const flow = new FlowControl(connection);
  let isBroken = false;
  const receive = async (line: string): Promise<string | undefined> => {
    const message = parseBounded(line, requestLimits);
    if (!isObject(message)) throw new Error('not a request');
    if (typeof message.cancel === 'number') {
      running.get(message.cancel)?.abort();
      return undefined;
    }
    const id = Number(message.id);
    const cancellation = new Cancellation();
    if (message.canceled === true) cancellation.abort();
    running.set(id, cancellation);
    try {
      const report = (progress: ChangeProgress) => flow.send(`${JSON.stringify({ id, progress })}\n`);
      const result = await answer(host, session, message, {
        signal: cancellation,
        onProgress: message.progress === true ? limitProgress(report, now) : undefined,
      });
      return `${JSON.stringify({ id, result: result ?? null })}\n`;
    } catch (error) {
      if (!(error instanceof HostError)) onBug(error);
      return errorLine(id, asHostError(error));
    } finally {
      running.delete(id);
    }
  };
  // Our own commands never send such a line.
  const disconnect = () => {
    isBroken = true;
    connection.close();
  };
  /** Answers a line that is not parsed. Its id is at its beginning, as our own commands write it. */
  const reject = (head: string, error: HostError) => {
    const id = /^\{"id":(\d{1,15}),/.exec(head)?.[1];
    if (id === undefined) disconnect();
    else flow.send(errorLine(Number(id), error));
  };
  readLines(connection.input, {
    json: requestLimits,
    rejected: (excess, _bytes, head) => reject(head, tooComplex(excess)),
    line: (text, bytes) => {
      if (isBroken) return;
      if (share.take(bytes) !== undefined) return reject(text, busy());
      flow
        .track(receive(text), bytes)
        .catch((error) => {
          if (error instanceof JsonExcessError) reject(text, tooComplex(error.excess));
          else disconnect();
        })
        .finally(() => share.give(bytes));
    },
    end: () => {
      for (const cancellation of running.values()) cancellation.abort();
      void session.close();
      connection.close();
    },
  });
}

function errorLine(id: number, { code, message, hint }: HostError): string {
  return `${JSON.stringify({ id, error: { code, message, ...(hint === undefined ? {} : { hint }) } })}\n`;
}

function tooComplex(excess: JsonExcess): HostError {
  return new HostError('invalid_input', `the request ${excessText(excess)}`);
}

function busy(): HostError {
  return new HostError('rate_limited', 'the requests that are in progress are too large together', {
    hint: 'wait until some of them have ended',
  });
}

async function answer(
  host: Host,
  session: Session,
  { operation: name, input, by }: JsonObject,
  context: Omit<OperationContext, 'by'>,
): Promise<unknown> {
  const operation = typeof name === 'string' ? findOperation(name) : undefined;
  if (operation === undefined)
    throw new HostError('not_supported', `unknown operation ${JSON.stringify(name ?? null)}`);
  return performOperation(
    operation.scope === 'session' ? session : host,
    operation,
    isObject(input) ? input : {},
    { ...context, by: by === undefined ? undefined : socketOperator(by) },
  );
}

/** Only programs of this user can open the socket, so its channel is the terminal, whatever the request says. */
export function socketOperator(given: Json | Actor): Operator {
  if (given === null || typeof given !== 'object' || Array.isArray(given))
    return { name: String(given), channel: 'terminal' };
  const { name, pin } = given as JsonObject;
  return { name: String(name), channel: 'terminal', ...(typeof pin === 'string' ? { pin } : {}) };
}
