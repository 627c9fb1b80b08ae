/** What an MCP server may ask of the client of a call, besides questions to its user. */
export const serverRequestKinds = ['sampling', 'roots'] as const;
export type ServerRequestKind = (typeof serverRequestKinds)[number];

interface ServerRequestSetting {
  /** Null: every package. */
  readonly package: string | null;
  readonly kind: ServerRequestKind;
}

/** Reads `KIND` or `PACKAGE=KIND`. Undefined if it is neither. */
export function parseServerRequest(text: string): ServerRequestSetting | undefined {
  const [, id = null, kind] = /^(?:([A-Za-z0-9][A-Za-z0-9._-]*)=)?(\w+)$/.exec(text) ?? [];
  const known = serverRequestKinds.find((it) => it === kind);
  return known === undefined ? undefined : { package: id, kind: known };
}

/** What the servers of a package may ask for. */
export function serverRequestsOf(
  settings: readonly string[] | undefined,
  packageId: string,
): readonly ServerRequestKind[] {
  const own = (settings ?? []).flatMap((it) => parseServerRequest(it) ?? []);
  return serverRequestKinds.filter((kind) =>
    own.some((it) => it.kind === kind && (it.package ?? packageId) === packageId),
  );
}
