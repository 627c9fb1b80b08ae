// MCP clients without a process between them and the front: the official one, and bare lines.
import { PassThrough } from 'node:stream';
import {
  Client,
  type ClientOptions,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Host, Session } from '../src/index.js';
import { createFront, type Expose, type Front, type FrontParts, frontParts } from '../src/serve/mcp/front.js';
import type { Carrier } from '../src/wire/carrier.js';
import { readLines } from '../src/wire/lines.js';

export type Message = Record<string, unknown>;

/** Both ends of a line connection in this process. */
export function linePair(): { carrier: Carrier; toServer: PassThrough; fromServer: PassThrough } {
  const toServer = new PassThrough();
  const fromServer = new PassThrough();
  const carrier: Carrier = {
    input: toServer,
    write: (line) => fromServer.write(line),
    onDrain: (resume) => void fromServer.on('drain', resume),
    close: () => void fromServer.end(),
  };
  return { carrier, toServer, fromServer };
}

/** What the official client speaks through. */
export function lineTransport(toServer: PassThrough, fromServer: PassThrough): Transport {
  const transport: Transport = {
    async start() {
      readLines(fromServer, {
        line: (text) => transport.onmessage?.(JSON.parse(text) as JSONRPCMessage),
        end: () => transport.onclose?.(),
      });
    },
    async send(message) {
      toServer.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      toServer.end();
      transport.onclose?.();
    },
  };
  return transport;
}

export interface FrontSetup {
  readonly host: Host;
  readonly session: Session;
  readonly principal?: string;
  readonly holder?: string;
  readonly expose?: Expose;
  readonly parts?: FrontParts;
  readonly now?: () => number;
}

export const bugs: unknown[] = [];

export function partsFor(now: () => number = Date.now): FrontParts {
  return frontParts({ version: '9.9.9', now, onBug: (error) => bugs.push(error) });
}

export function frontFor({ host, session, principal = 'agent', ...rest }: FrontSetup): Front {
  const { holder = principal, expose = 'all', parts = partsFor(rest.now) } = rest;
  return createFront({ ...parts, session, approvals: host.approvals, principal, holder, expose });
}

export type Era = '2025' | '2026';

/** The official client on a front of its own. */
export async function officialClient(front: Front, era: Era, options: ClientOptions = {}): Promise<Client> {
  const { carrier, toServer, fromServer } = linePair();
  void front.lines(carrier);
  const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client({ name: 'test', version: '1.0.0' }, { ...options, versionNegotiation: { mode } });
  await client.connect(lineTransport(toServer, fromServer));
  return client;
}

/** Lines as a client without manners would send them. */
export class BareClient {
  readonly received: Message[] = [];
  readonly #toServer: PassThrough;
  readonly #waiting = new Set<() => void>();
  ended = false;

  constructor(front: Front) {
    const { carrier, toServer, fromServer } = linePair();
    this.#toServer = toServer;
    void front.lines(carrier);
    readLines(fromServer, {
      line: (text) => {
        this.received.push(JSON.parse(text));
        for (const look of [...this.#waiting]) look();
      },
      end: () => {
        this.ended = true;
      },
    });
  }

  send(text: string | object): void {
    this.#toServer.write(`${typeof text === 'string' ? text : JSON.stringify(text)}\n`);
  }

  /** The first message that fits, taken out of what was received. */
  next(fits: (message: Message) => boolean, milliseconds = 10_000): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no such message; there are ${JSON.stringify(this.received)}`));
      }, milliseconds);
      const look = () => {
        const at = this.received.findIndex(fits);
        if (at === -1) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(this.received.splice(at, 1)[0] as Message);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async request(
    method: string,
    params: object = {},
    id: string | number = 1,
    milliseconds?: number,
  ): Promise<Message> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.next((it) => it.id === id && !('method' in it), milliseconds);
  }

  leave(): void {
    this.#toServer.end();
  }
}

/** What every request of the 2026 era carries. */
export function envelope(capabilities: object = {}, more: object = {}): { _meta: object } {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      ...more,
    },
  };
}
