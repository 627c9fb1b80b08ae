import type { KillEntry, PackageState, UnknownOutcome } from '../../host/host.js';
import type { ApprovalRequest } from '../../model/approval.js';
import { shellWord } from '../../model/shell-word.js';

/** One thing that waits for a person. */
export interface AttentionItem {
  readonly kind: 'outcome-unknown' | 'approval' | 'killed' | 'needs-review' | 'needs-setup' | 'broken';
  /** The call, the approval, the target or the package. */
  readonly subject: string;
  readonly message: string;
  /** What to do about it. */
  readonly command: string;
}

export interface AttentionParts {
  readonly outcomes: readonly UnknownOutcome[];
  readonly approvals: readonly ApprovalRequest[];
  readonly kills: readonly KillEntry[];
  readonly packages: readonly PackageState[];
}

/** What may have gone wrong comes first, then what waits, then what is not ready. */
export function attentionOf({ outcomes, approvals, kills, packages }: AttentionParts): AttentionItem[] {
  return [
    ...outcomes.map(
      ({ call, tool, principal }): AttentionItem => ({
        kind: 'outcome-unknown',
        subject: call,
        message: `${tool} was called by ${principal} and the host ended before it did: it may have happened or not, and is not tried again`,
        command: `toolwharf audit acknowledge ${shellWord(call)}`,
      }),
    ),
    ...approvals.map(
      ({ id, tool, principal }): AttentionItem => ({
        kind: 'approval',
        subject: id,
        message: `${principal} wants to call ${tool}`,
        command: `toolwharf approvals show ${shellWord(id)}`,
      }),
    ),
    ...kills.map(
      ({ target, by }): AttentionItem => ({
        kind: 'killed',
        subject: target,
        message: `${target} is stopped by ${by}`,
        command: `toolwharf kill --lift ${shellWord(target)}`,
      }),
    ),
    ...packages.flatMap((it): AttentionItem[] => {
      const { state } = it;
      if (state !== 'needs-review' && state !== 'needs-setup' && state !== 'broken') return [];
      const subject = it.id ?? it.path;
      const command = {
        'needs-review': `toolwharf review ${shellWord(subject)} --dir ${shellWord(it.path)}`,
        'needs-setup': `toolwharf info ${shellWord(it.path)}`,
        broken: `toolwharf validate ${shellWord(it.path)}`,
      }[state];
      return [{ kind: state, subject, message: it.reasons.join('; '), command }];
    }),
  ];
}
