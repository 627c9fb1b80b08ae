/** User of sandboxed processes if the host runs as root: unprivileged, owns no files. */
const unprivileged = { uid: 65533, gid: 65533 };

export interface ProcessIdentity {
  readonly user: { readonly uid: number; readonly gid: number };
  /** Options for `spawn`; undefined if the host already runs as that user. */
  readonly spawnAs: { readonly uid: number; readonly gid: number } | undefined;
}

/** User and group that processes of tools run as; never root. */
export function processIdentity(): ProcessIdentity {
  const uid = process.getuid?.() ?? -1;
  if (uid === 0) return { user: unprivileged, spawnAs: unprivileged };
  return { user: { uid, gid: process.getgid?.() ?? -1 }, spawnAs: undefined };
}
