import type { Socket } from 'node:net';
import type { LineActivity } from '../mcp/line-transport.js';
import type { HandoverNotice } from './handover.js';

/** A connection that said hello. */
export interface AdmittedConnection {
  readonly principal: string;
  /** Undefined: not an MCP client, but one of our own commands or a program that uses the library. */
  readonly mcp?: {
    readonly activity: LineActivity;
    /** From now on nothing is read from the client or sent to it. */
    detach(): void;
  };
}

/** How long a client has to notice that it must connect again. */
const noticeTimeoutMs = 5000;

/** The connections of a socket server. */
export class OpenConnections {
  /** Undefined until the client said hello. */
  readonly #open = new Map<Socket, AdmittedConnection | undefined>();

  get size(): number {
    return this.#open.size;
  }

  add(socket: Socket): void {
    this.#open.set(socket, undefined);
  }

  admit(socket: Socket, connection: AdmittedConnection): void {
    if (this.#open.has(socket)) this.#open.set(socket, connection);
  }

  remove(socket: Socket): void {
    this.#open.delete(socket);
  }

  /** The MCP clients, one principal per connection. */
  clients(): readonly string[] {
    return [...this.#open.values()].flatMap((it) => (it?.mcp === undefined ? [] : [it.principal]));
  }

  /** Why the connections cannot move to another host now; undefined if they can. */
  busyReason(): string | undefined {
    const admitted = [...this.#open.values()];
    const calling = admitted.find((it) => (it?.mcp?.activity.calls ?? 0) > 0);
    if (calling !== undefined) return `a call of ${calling.principal} is running`;
    if (admitted.includes(undefined)) return 'a client is connecting';
    const program = admitted.find((it) => it?.mcp === undefined);
    return program === undefined ? undefined : `a program of ${program.principal} is connected`;
  }

  /** Tells the MCP clients that run no call to connect again, and waits until they have left. */
  async handOver(process: number | null): Promise<void> {
    const notice: HandoverNotice = { toolwharf: 'reconnect', process };
    const leaving = [...this.#open].map(async ([socket, connection]) => {
      if (connection?.mcp === undefined || connection.mcp.activity.calls > 0) return;
      const left = new Promise((resolve) => socket.once('close', resolve));
      const timer = setTimeout(() => socket.destroy(), noticeTimeoutMs);
      connection.mcp.detach();
      socket.end(`${JSON.stringify(notice)}\n`);
      await left;
      clearTimeout(timer);
    });
    await Promise.all(leaving);
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
