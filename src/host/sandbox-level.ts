import type { Package } from '../model/package.js';
import { runsElsewhere } from '../model/program.js';
import type { Verdict } from '../sandbox/sandbox.js';
import type { SandboxLevel } from './host.js';

export interface Held {
  /** Of the sandbox for processes. */
  readonly verdict: Verdict;
  /** False where somebody wanted to run without one. */
  readonly confines: boolean;
  /** Of the container engine, once it was tried. */
  readonly contained: Verdict | undefined;
}

const fromWeakest: readonly SandboxLevel[] = ['none', 'declared-only', 'degraded', 'enforced'];

/**
 * What really confines a package: the weakest of what confines its programs, and none where one of them runs on another
 * machine. A package without programs needs no sandbox: its requests go through the guarded client.
 */
export function sandboxLevel(of: Package | undefined, held: Held): SandboxLevel {
  if (of === undefined) return 'none';
  const levels = of.programs.map((it): SandboxLevel => {
    if (runsElsewhere(it)) return 'none';
    switch (it.target.kind) {
      case 'process':
        return held.confines ? levelOf(held.verdict) : 'declared-only';
      case 'container':
        return levelOf(held.contained);
      default:
        return 'enforced';
    }
  });
  return fromWeakest.find((it) => levels.includes(it)) ?? 'enforced';
}

function levelOf(verdict: Verdict | undefined): SandboxLevel {
  return verdict === undefined || verdict.level === 'unavailable' ? 'none' : verdict.level;
}
