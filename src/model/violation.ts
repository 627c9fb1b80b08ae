// What a program of a package did against its grant, and what the host does about it.

/** From the mildest to the strictest. */
export const violationActions = ['report', 'kill', 'revoke'] as const;

/** `report`: record and notify. `kill`: also stop the package. `revoke`: also revoke its installation. */
export type ViolationAction = (typeof violationActions)[number];

/**
 * `network`: a connection to a host that was not granted. `secret`: the same by a program that holds a secret.
 * `steering-file`: a file in a place that steers other programs. `announcement`: an accepted tool that is announced
 * differently. `foreign-secret`: an answer with a secret of another package.
 */
export type ViolationKind = 'network' | 'secret' | 'steering-file' | 'announcement' | 'foreign-secret';

/** Something that a program of a package did against its grant. */
export interface Violation {
  readonly package: string;
  readonly kind: ViolationKind;
  /** One clause without secrets, such as `it tried to reach example.com:443`. */
  readonly detail: string;
}

/** Reads `PACKAGE=ACTION`. Undefined if it is not one. */
export function parseViolationSetting(
  text: string,
): { readonly package: string; readonly action: ViolationAction } | undefined {
  const [, id, word] = /^([A-Za-z0-9][A-Za-z0-9._-]*)=([a-z]+)$/.exec(text) ?? [];
  const action = violationActions.find((it) => it === word);
  return id === undefined || action === undefined ? undefined : { package: id, action };
}
