import { HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Deadline } from '../upstream/upstream.js';
import { Budget } from './budget.js';
import { type Message, readMessage, refusalText, requestText } from './message.js';

export interface Question extends Deadline {
  readonly method: string;
  readonly params: JsonObject;
  /** Who is asked, for messages. */
  readonly name: string;
  /** Bytes that the answer may have. */
  readonly bytes: number;
}

export interface Asked {
  readonly id: number;
  readonly question: Question;
}

export interface Channel {
  /** Puts a message on its way; `asked` is what it asks. Throws a HostError where that is not possible. */
  send(text: string, asked: Asked | null): void;
  onLog(line: string): void;
  /** More came that nobody asked for than anybody wants to read; nothing is read after that. */
  onFlood(): void;
}

interface Pending {
  readonly question: Question;
  readonly settle: (outcome: { readonly value: Json } | Error) => void;
}

/** Questions that may be open at once. */
const maxPending = 256;
/** What may stand around an answer. */
export const envelopeBytes = 64 * 1024;
const floodBytes = 8 * 1024 * 1024;
const floodPerSecond = 64 * 1024;
const excerptLength = 200;
const leastLine = 1024 * 1024;

/**
 * The host's side of a conversation in JSON-RPC. Many questions may be open at once, and each is settled by its own answer,
 * its own time or its own caller, whatever becomes of the others. An id is used once, so an answer that comes too late or
 * twice meets nothing.
 */
export class Peer {
  readonly #channel: Channel;
  readonly #pending = new Map<number, Pending>();
  readonly #unasked: Budget;
  #next = 1;
  #end: HostError | undefined;

  constructor(channel: Channel, now?: () => number) {
    this.#channel = channel;
    this.#unasked = new Budget(floodBytes, floodPerSecond, now);
  }

  get open(): number {
    return this.#pending.size;
  }

  /** Bytes that the next message may have. */
  get room(): number {
    let most = leastLine;
    for (const { question } of this.#pending.values()) most = Math.max(most, question.bytes);
    return most + envelopeBytes;
  }

  /** Rejects with an RpcFailure where the other side says no, else with a HostError. */
  ask(question: Question): Promise<Json> {
    const { name, signal, timeoutMs } = question;
    if (this.#end !== undefined) return Promise.reject(this.#end);
    if (signal.aborted) return Promise.reject(canceled());
    if (this.#pending.size >= maxPending) {
      return Promise.reject(
        new HostError('upstream_failed', `${name} has ${maxPending} calls to answer already`, {
          hint: 'wait for some of them to end',
        }),
      );
    }
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.drop(id, timedOut(question)), timeoutMs);
      const stop = () => this.drop(id, canceled());
      signal.addEventListener('abort', stop, { once: true });
      this.#pending.set(id, {
        question,
        settle: (outcome) => {
          this.#pending.delete(id);
          clearTimeout(timer);
          signal.removeEventListener('abort', stop);
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome.value);
        },
      });
      try {
        const text = requestText(id, question.method, question.params);
        this.#channel.send(text, { id, question });
      } catch (error) {
        this.drop(id, error as Error);
      }
    });
  }

  /** Takes one message of the other side, which has so many bytes. */
  receive(text: string, bytes: number): void {
    if (this.#end !== undefined) return;
    const message = readMessage(text);
    switch (message.kind) {
      case 'result':
      case 'failure':
      case 'hollow':
        this.#answer(message, bytes);
        return;
      case 'request':
        if (
          this.unasked(bytes, `it asks the host for ${message.method.slice(0, excerptLength)}; not answered`)
        )
          this.#refuse(message.id, message.method);
        return;
      case 'notice':
        this.unasked(
          bytes,
          `it tells of ${message.method.slice(0, excerptLength)}, which this host does not know`,
        );
        return;
      case 'garbage':
        this.unasked(bytes, text.trim());
    }
  }

  /** Counts what is no answer to anything; false when it was too much. */
  unasked(bytes: number, line: string | null): boolean {
    if (this.#end !== undefined) return false;
    if (!this.#unasked.take(bytes)) {
      this.#channel.onFlood();
      return false;
    }
    if (line !== null) this.#channel.onLog(line.slice(0, 10 * excerptLength));
    return true;
  }

  /** An answer was too long to be kept. `head` is how it began; whose it was is told where that can be known. */
  tooLong(head: string): void {
    const said = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]/.exec(head)?.[1];
    const [only] = this.#pending.size === 1 && /^\s*\{/.test(head) ? this.#pending.keys() : [];
    const id = said === undefined ? only : Number(said);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id !== undefined && pending !== undefined) this.drop(id, tooLarge(pending.question));
  }

  /** Settles one question without an answer; nothing happens where it is settled already. */
  drop(id: number, error: Error): void {
    this.#pending.get(id)?.settle(error);
  }

  /** Settles every question, and all that come later, with one error. */
  end(error: HostError): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    for (const id of [...this.#pending.keys()]) this.drop(id, error);
  }

  #answer(message: Extract<Message, { kind: 'result' | 'failure' | 'hollow' }>, bytes: number): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) {
      const known = message.id > 0 && message.id < this.#next;
      const what = known ? 'comes too late or twice' : 'answers nothing that was asked';
      this.unasked(bytes, `an answer with the id ${message.id} ${what}`);
    } else if (message.kind === 'failure') {
      pending.settle(message.failure);
    } else if (message.kind === 'hollow') {
      const { name } = pending.question;
      pending.settle(
        new HostError('tool_bad_output', `${name} was answered with neither a result nor an error`),
      );
    } else if (bytes > pending.question.bytes + envelopeBytes) {
      pending.settle(tooLarge(pending.question));
    } else {
      pending.settle({ value: message.value });
    }
  }

  #refuse(id: Json, method: string): void {
    const short = typeof id === 'number' || (typeof id === 'string' && id.length <= excerptLength);
    if (!short) return;
    try {
      this.#channel.send(refusalText(id, method), null);
    } catch {
      // Whoever does not take the refusal learns it from the silence.
    }
  }
}

function timedOut({ name, timeoutMs }: Question): HostError {
  return new HostError('timeout', `${name} gave no answer within ${timeoutMs / 1000} s`, {
    hint: 'give it more time with --timeout',
  });
}

function canceled(): HostError {
  return new HostError('canceled', 'the call was canceled');
}

function tooLarge({ name, bytes }: Question): HostError {
  return new HostError(
    'output_too_large',
    `the answer of ${name} is larger than ${bytes.toLocaleString('en')} bytes`,
  );
}
