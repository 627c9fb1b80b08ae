/** The operator states the effect of tools whose manifest declares none. Without it, the host asks before each call. */
export const knownEffects = {
  rules: [{ tool: '*', undeclaredEffect: 'write', origin: { kind: 'session' } }],
};
