import type { ApprovalRequest } from '../../model/approval.js';
import type { ArgumentSeal } from '../../secrets/argument-seal.js';
import type { ApprovalQueue } from '../../store/approvals.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { DenialRows } from '../../store/denials.js';
import type { LimitLedger } from '../../store/limit-ledger.js';
import type { StandingRules } from '../../store/standing-rules.js';
import type { ApprovalLinkOperations } from '../operator/approval-links.js';
import type { Invalidate } from '../operator/approval-operations.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { LabelSessions } from '../operator/label-sessions.js';
import type { RunningCalls } from '../operator/running-calls.js';
import type { TaintHolds } from '../operator/taint-holds.js';
import type { WaiverGate } from '../operator/waiver-gate.js';
import type { CallRepeats } from './call-repeats.js';
import type { CallableTool } from './callable-tool.js';

/** What the call pipeline needs from the host. */
export interface CallServices {
  readonly seal: ArgumentSeal;
  readonly audit: AuditLog;
  readonly approvals: ApprovalQueue;
  readonly denials: DenialRows;
  readonly standingRules: StandingRules;
  /** Held calls whose approval vouches for values. */
  readonly taintHolds: TaintHolds;
  readonly labels: Pick<LabelSessions, 'endorse'>;
  readonly invalidate: Invalidate;
  readonly waivers: Pick<WaiverGate, 'isActive' | 'isVerified'>;
  /** Names the page where a person can decide. */
  readonly links: Pick<ApprovalLinkOperations, 'linkTo'>;
  /** Sends a webhook notice about a held call, in the background. */
  readonly sendNotice: (request: ApprovalRequest, callable: CallableTool) => void;
  readonly limits: LimitLedger;
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  /** Calls of idempotent tools, which can be repeated after a crash. */
  readonly repeats: CallRepeats;
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly logBug: (error: unknown) => void;
  /** The call does not wait for this work; the host waits for it before it closes. */
  readonly runInBackground: (work: Promise<unknown>) => void;
  /** Runs one piece of work at a time, in order of arrival. */
  readonly serialize: <T>(work: () => Promise<T>) => Promise<T>;
}
