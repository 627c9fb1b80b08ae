// For formats whose manifests say nothing about permissions or effects.
import type { Permissions } from '../model/permissions.js';
import type { Tool } from '../model/tool.js';

/** The format has no permission model, so the package asks for the host's default profile. */
export const defaultPermissions: Permissions = Object.freeze({
  origin: 'default',
  network: Object.freeze({ kind: 'public' }),
  filesystem: 'read-write',
  stateDirectory: true,
  scopes: Object.freeze([]),
});

/** Until the operator sets an effect, a call counts as a write. */
export const undeclaredEffect: Pick<
  Tool,
  'annotations' | 'effect' | 'effectDeclared' | 'idempotent' | 'untrustedInputs' | 'approval' | 'examples'
> = Object.freeze({
  annotations: Object.freeze({}),
  effect: 'write',
  effectDeclared: false,
  idempotent: false,
  untrustedInputs: Object.freeze([]),
  approval: 'none',
  examples: Object.freeze([]),
});
