/**
 * How strongly the sandbox confines a package. `declared-only`: the operator turned the sandbox off. `none`: at least
 * one program runs on another machine, or nothing confines it.
 */
export type SandboxLevel = 'enforced' | 'degraded' | 'declared-only' | 'none';
