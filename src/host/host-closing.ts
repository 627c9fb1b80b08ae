import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Database } from '../store/database.js';
import type { CallRepeats } from './call/call-repeats.js';
import type { HostServices } from './host-services.js';
import type { HostAudit } from './operator/host-audit.js';
import type { KillSwitch } from './operator/kill-switch.js';
import type { Notices } from './operator/notices.js';
import type { RunningCalls } from './operator/running-calls.js';
import type { Violations } from './operator/violations.js';
import type { Stage } from './packages/stage.js';

/** How long a closing host waits for calls that it repeats. */
const repeatGraceMs = 5000;

/** Everything that a host opened. */
export interface OpenedHost {
  readonly repeats: Pick<CallRepeats, 'whenIdle'>;
  readonly kills: Pick<KillSwitch, 'close'>;
  readonly running: RunningCalls;
  readonly backgroundWork: ReadonlySet<Promise<unknown>>;
  readonly violations: Violations;
  readonly notices: Notices;
  readonly services: Pick<HostServices, 'close'>;
  readonly sandbox: Sandbox;
  readonly hostAudit: HostAudit;
  readonly database: Database;
  readonly stage: Stage;
  readonly releaseLock: () => void;
}

/** Ends everything in an order in which nothing uses what was closed before it. */
export async function closeHost(host: OpenedHost): Promise<void> {
  // The host of a single command lives shorter than the call it repeats.
  await Promise.race([host.repeats.whenIdle(), delay(repeatGraceMs, undefined, { ref: false })]);
  host.kills.close();
  host.running.close();
  await host.running.whenIdle();
  await Promise.allSettled([...host.backgroundWork]);
  await host.violations.close();
  await host.notices.close();
  await host.services.close();
  host.sandbox.close?.();
  await host.hostAudit.close();
  await host.database.destroy();
  host.stage.close();
  host.releaseLock();
}
