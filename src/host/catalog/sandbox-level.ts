import type { Package } from '../../model/package.js';
import { runsElsewhere } from '../../model/program.js';
import type { ProbeResult } from '../../sandbox/sandbox.js';
import type { SandboxLevel } from '../host.js';

/** What was found out about the sandbox and the container engine of this machine. */
export interface SandboxProbes {
  readonly sandbox: ProbeResult;
  /** False if the operator turned the sandbox off. */
  readonly confines: boolean;
  /** Undefined until the container engine is tested. */
  readonly containers: ProbeResult | undefined;
}

const fromWeakest: readonly SandboxLevel[] = ['none', 'declared-only', 'degraded', 'enforced'];

/**
 * How strongly a package is confined: the weakest level of its programs, and `none` if one of them runs on another
 * machine. A package without programs needs no sandbox: its requests go through the guarded HTTP client.
 */
export function sandboxLevel(pkg: Package | undefined, probes: SandboxProbes): SandboxLevel {
  if (pkg === undefined) return 'none';
  const levels = pkg.programs.map((it): SandboxLevel => {
    if (runsElsewhere(it)) return 'none';
    switch (it.target.kind) {
      case 'process':
        return probes.confines ? levelOf(probes.sandbox) : 'declared-only';
      case 'container':
        return levelOf(probes.containers);
      default:
        return 'enforced';
    }
  });
  return fromWeakest.find((it) => levels.includes(it)) ?? 'enforced';
}

function levelOf(probe: ProbeResult | undefined): SandboxLevel {
  return probe === undefined || probe.level === 'unavailable' ? 'none' : probe.level;
}
