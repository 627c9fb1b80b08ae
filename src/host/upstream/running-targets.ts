import type { Program } from '../../model/program.js';
import type { Tool } from '../../model/tool.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { ProfileInputs } from '../sandboxing/profile-inputs.js';
import type { ComparedUpstream } from './compared-upstream.js';
import type { UpstreamConnections, UpstreamTarget } from './upstream-connections.js';

/** What a target was made for. */
export interface TargetUse {
  readonly checked: CheckedPackage;
  /** The program, or the tool if it has an access of its own. */
  readonly subject: Program | Tool;
  /** Made anew for other packages, grants and settings of the session. */
  readonly inputs: ProfileInputs;
}

interface Known {
  readonly use: TargetUse;
  readonly target: UpstreamTarget<ComparedUpstream>;
}

/**
 * Targets of one session whose program runs. Finding out what a program may see costs more than sending it a request. It is
 * not done again while the program runs and the answer would be the same.
 */
export class RunningTargets {
  readonly #connections: Pick<UpstreamConnections<ComparedUpstream>, 'isRunning'>;
  readonly #known = new WeakMap<Program | Tool, Known>();

  constructor(connections: Pick<UpstreamConnections<ComparedUpstream>, 'isRunning'>) {
    this.#connections = connections;
  }

  /** Undefined if the target has to be made: for the first use, for other inputs, and to start the program. */
  find({ checked, subject, inputs }: TargetUse): UpstreamTarget<ComparedUpstream> | undefined {
    const known = this.#known.get(subject);
    if (known === undefined || known.use.checked !== checked || known.use.inputs !== inputs) return undefined;
    return this.#connections.isRunning(known.target) ? known.target : undefined;
  }

  /** Only for a target that depends on nothing but this use. */
  keep(use: TargetUse, target: UpstreamTarget<ComparedUpstream>): void {
    this.#known.set(use.subject, { use, target });
  }
}
