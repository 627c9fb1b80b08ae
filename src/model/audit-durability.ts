/**
 * When the audit entry of a call is safe from a power loss: before the call, or at most 25 ms later. A killed process
 * loses it in neither case.
 */
export type AuditDurability = 'call' | 'group';
