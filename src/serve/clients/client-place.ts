import type { Client, ClientMachine, ConfigScope } from './client.js';

/** Where a client lists its servers in one scope. */
export interface ClientPlace {
  /** With the member that contains the servers of this scope. */
  readonly client: Client;
  readonly scope: ConfigScope;
  /** Absolute path of the configuration file. */
  readonly file: string;
  /** Differs from that of every other place, also in the same file. */
  readonly id: string;
}

export function clientPlace(client: Client, scope: ConfigScope, machine: ClientMachine): ClientPlace {
  const file = client.file(scope, machine);
  const container = client.containerIn?.(scope, machine);
  if (container === undefined) return { client, scope, file, id: file };
  return { client: { ...client, container }, scope, file, id: `${file}#${JSON.stringify(container)}` };
}
