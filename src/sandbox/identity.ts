/** Where a root host's confined processes live: an unprivileged identity that owns nothing. */
const unprivileged = { uid: 65533, gid: 65533 };

export interface ConfinedUser {
  readonly user: { readonly uid: number; readonly gid: number };
  /** To spawn with; empty when the host is that user already. */
  readonly identity: { readonly uid: number; readonly gid: number } | undefined;
}

/** Who processes of tools are on this machine: never root. */
export function confinedUser(): ConfinedUser {
  const uid = process.getuid?.() ?? -1;
  if (uid === 0) return { user: unprivileged, identity: unprivileged };
  return { user: { uid, gid: process.getgid?.() ?? -1 }, identity: undefined };
}
