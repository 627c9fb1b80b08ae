import type { Sandbox } from '../../sandbox/sandbox.js';
import { type PoolOptions, ProcessPool } from '../process-pool.js';
import { WorkerPlans } from './worker-plan.js';
import type { WorkerProcess } from './worker-process.js';

/** The processes that run functions in one sandbox, with the plans by which they are started. */
export class WorkerPool extends ProcessPool<WorkerProcess> {
  readonly plans: WorkerPlans;

  constructor(sandbox: Sandbox, options?: PoolOptions) {
    super(options);
    this.plans = new WorkerPlans(sandbox);
  }
}
