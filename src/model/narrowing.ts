/** What a package may use, if that is less than its manifest asks for. Kept for its id, over updates. */
export interface Narrowing {
  readonly package: string;
  /** The only `host:port` that it may reach. Null: what its manifest and grants say. */
  readonly network: readonly string[] | null;
  /** Hosts that were granted by name, in the syntax of `--allow`. */
  readonly grants: readonly string[];
  /** It may not change the workspace. */
  readonly noWriting: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
}

/** The narrowing as denials of the configuration, which every profile of a sandbox is made from. */
export function narrowingDenials({ package: id, network, noWriting }: Narrowing): string[] {
  return [
    ...(network === null ? [] : [`${id}=net:* except${network.map((it) => ` ${it}`).join('')}`]),
    ...(noWriting ? [`${id}=write:*`] : []),
  ];
}

/** For people: one line each. */
export function narrowingLines({ network, noWriting }: Narrowing): string[] {
  return [
    ...(network === null
      ? []
      : [network.length === 0 ? 'no network' : `network only to ${network.join(', ')}`]),
    ...(noWriting ? ['the workspace is read-only'] : []),
  ];
}
