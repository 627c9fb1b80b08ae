/** What the host does with calls of an installed release that its registry warns about. The first one is the default. */
export const quarantineActions = ['hold', 'disable', 'report'] as const;
/** See `registry.on_quarantine`. */
export type QuarantineAction = (typeof quarantineActions)[number];
