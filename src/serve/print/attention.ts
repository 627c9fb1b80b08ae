import type {
  AuditRollback,
  InstalledPackage,
  KillEntry,
  MovedFile,
  PackageState,
  RequestedInstallation,
  SessionWaiver,
  UnknownOutcome,
} from '../../host/host.js';
import { anyText, object, oneOf, type Shape, text } from '../../host/operations/shape.js';
import type { ApprovalRequest } from '../../model/approval.js';
import { shellQuote } from '../../model/shell-quote.js';
import { waiverLine } from './waivers.js';

const attentionKinds = [
  'rollback',
  'outcome-unknown',
  'approval',
  'install-request',
  'revoking',
  'killed',
  'moved-aside',
  'inactive-setting',
  'needs-review',
  'needs-setup',
  'broken',
] as const;

/** One thing that needs the attention of a person. */
export interface AttentionItem {
  readonly kind: (typeof attentionKinds)[number];
  /** The entry of the audit log, the call, the approval, the request, the target, the moved file, the package or the setting. */
  readonly subject: string;
  readonly message: string;
  /** The command to run next. */
  readonly command: string;
}

/** What a package is whose kill switch did not succeed. */
export const revokingText = 'it is stopped, but not completely revoked';

/** The shape of an item in JSON documents. */
export const attentionEntry: Shape<AttentionItem> = object({
  kind: oneOf(attentionKinds),
  subject: text(
    'The entry of the audit log, the call, the held call, the request, the target, the moved file, the package or the setting.',
  ),
  message: anyText(),
  command: text('The command to run next.'),
});

export interface AttentionSources {
  readonly rollbacks: readonly AuditRollback[];
  readonly outcomes: readonly UnknownOutcome[];
  readonly approvals: readonly ApprovalRequest[];
  readonly installRequests: readonly RequestedInstallation[];
  readonly installed: readonly InstalledPackage[];
  readonly kills: readonly KillEntry[];
  readonly waivers: readonly SessionWaiver[];
  readonly moved: readonly MovedFile[];
  readonly packages: readonly PackageState[];
}

/**
 * Rollbacks of the audit log first, then unknown outcomes, held calls, requests for packages, unfinished revocations, stopped targets, inactive settings, moved files
 * and packages that are not ready.
 */
export function attentionOf(sources: AttentionSources): AttentionItem[] {
  const { rollbacks, outcomes, approvals, installRequests, installed, kills, waivers, moved, packages } =
    sources;
  return [
    ...rollbacks.map(
      ({ entry, message }): AttentionItem => ({
        kind: 'rollback',
        subject: `entry ${entry}`,
        message,
        command: `toolwharf audit acknowledge ${entry}`,
      }),
    ),
    ...outcomes.map(
      ({ call, tool, principal, repeats }): AttentionItem => ({
        kind: 'outcome-unknown',
        subject: call,
        message: `the outcome of ${tool}, called by ${principal}, is unknown: the host stopped during the call; ${repeats ? `it is repeated when ${principal} is back` : 'it is not repeated'}`,
        command: `toolwharf audit acknowledge ${shellQuote(call)}`,
      }),
    ),
    ...approvals.map(
      ({ id, tool, principal }): AttentionItem => ({
        kind: 'approval',
        subject: id,
        message: `${principal} called ${tool}; the call is held for approval`,
        command: `toolwharf approvals show ${shellQuote(id)}`,
      }),
    ),
    ...installRequests.map(
      ({ id, source, principal }): AttentionItem => ({
        kind: 'install-request',
        subject: id,
        message: `${principal} asks for the package ${source}`,
        command: `toolwharf requests show ${shellQuote(id)}`,
      }),
    ),
    ...installed
      .filter((it) => it.state === 'revoking')
      .map(
        ({ package: id }): AttentionItem => ({
          kind: 'revoking',
          subject: id,
          message: revokingText,
          command: `toolwharf revoke ${shellQuote(id)} --retry`,
        }),
      ),
    ...kills.map(
      ({ target, by }): AttentionItem => ({
        kind: 'killed',
        subject: target,
        message: `${target} was stopped by ${by}`,
        command: `toolwharf kill --lift ${shellQuote(target)}`,
      }),
    ),
    ...waivers
      .filter((it) => !it.active)
      .map(
        (it): AttentionItem => ({
          kind: 'inactive-setting',
          subject: it.id,
          message: `${waiverLine(it)}: it has no effect until you accept it`,
          command: `toolwharf policy accept ${it.id.slice(0, 12)}`,
        }),
      ),
    ...moved.map(
      ({ id, path, packages: writers }): AttentionItem => ({
        kind: 'moved-aside',
        subject: id,
        message: `${path} steers other programs and appeared while ${writers.join(', ')} could write there; it was moved aside`,
        command: `toolwharf quarantine restore ${shellQuote(id)}`,
      }),
    ),
    ...packages.flatMap((it): AttentionItem[] => {
      const { state } = it;
      if (state !== 'needs-review' && state !== 'needs-setup' && state !== 'broken') return [];
      const subject = it.id ?? it.path;
      const command = {
        'needs-review': `toolwharf review ${shellQuote(subject)} --dir ${shellQuote(it.path)}`,
        'needs-setup': `toolwharf info ${shellQuote(it.path)}`,
        broken: `toolwharf validate ${shellQuote(it.path)}`,
      }[state];
      return [{ kind: state, subject, message: it.reasons.join('; '), command }];
    }),
  ];
}
