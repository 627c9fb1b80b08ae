import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { type HandoverNotice, noticeIn } from './handover.js';
import { OpenRequests } from './open-requests.js';

/** Why the shim stopped using a connection. `left`: the client disconnected. `lost`: the host stopped. */
export type ShimEnd =
  | { readonly kind: 'left' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'moved'; readonly process: number | null };

/**
 * Connects the standard streams of an MCP client to a host. When the host hands over to another one, the client notices
 * nothing: the shim greets the next host with what the client said, and asks again what was not answered.
 */
export class McpShim {
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #requests = new OpenRequests();
  readonly #fromClient = new LineCollector((bytes) => this.#requests.sent(bytes.toString('utf8').trimEnd()));
  #socket: Socket | undefined;
  #clientLeft = false;

  constructor(stdin: Readable, stdout: Writable) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    stdin.once('end', () => {
      this.#clientLeft = true;
      this.#socket?.end();
    });
    stdin.on('data', (chunk: Buffer) => {
      this.#fromClient.add(chunk);
      if (this.#socket?.write(chunk) === false) stdin.pause();
    });
    stdin.pause();
  }

  /** The client is gone, or somebody ends this process. */
  leave(): void {
    this.#clientLeft = true;
    this.#socket?.destroy();
  }

  /** Uses a connection on which the host said welcome, until it ends. */
  async use(socket: Socket): Promise<ShimEnd> {
    if (this.#clientLeft) {
      socket.destroy();
      return { kind: 'left' };
    }
    let notice: HandoverNotice | undefined;
    const { greeting, answeredId, requests } = this.#requests.replay();
    let swallowed = answeredId;
    const fromHost = new LineCollector((bytes) => {
      const line = bytes.toString('utf8', 0, bytes[0] === openingBracket ? bytes.length : headBytes);
      notice ??= noticeIn(line);
      if (notice !== undefined) {
        // What the client sends from now on waits for the next host.
        this.#stdin.pause();
        this.#socket = undefined;
        return;
      }
      const answered = this.#requests.received(line);
      if (swallowed !== undefined && answered.includes(swallowed)) swallowed = undefined;
      else if (!this.#stdout.write(bytes)) socket.pause();
    });
    const resume = () => socket.resume();
    this.#stdout.on('drain', resume);
    socket.on('drain', () => this.#stdin.resume());
    socket.on('data', (chunk: Buffer) => fromHost.add(chunk));
    const closed = new Promise<void>((done) => socket.once('close', done));
    for (const line of [...greeting, ...requests]) socket.write(`${line}\n`);
    socket.write(this.#fromClient.rest());
    this.#socket = socket;
    // Reading the hello left the socket paused.
    socket.resume();
    this.#stdin.resume();
    await closed;
    this.#socket = undefined;
    this.#stdout.off('drain', resume);
    if (this.#clientLeft) return { kind: 'left' };
    return notice === undefined ? { kind: 'lost' } : { kind: 'moved', process: notice.process };
  }
}

/** The part of a line that is looked at: all of a batch, else the beginning, where the id of an answer is. */
const headBytes = 4096;
const openingBracket = 0x5b;

/** Collects the chunks of a stream to lines. */
class LineCollector {
  readonly #onLine: (bytes: Buffer) => void;
  #pieces: Buffer[] = [];

  /** `onLine`: gets a line with its newline. */
  constructor(onLine: (bytes: Buffer) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      const bytes = Buffer.concat([...this.#pieces, chunk.subarray(from, at + 1)]);
      from = at + 1;
      this.#pieces = [];
      this.#onLine(bytes);
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
  }

  /** The beginning of a line whose end did not arrive yet. */
  rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
