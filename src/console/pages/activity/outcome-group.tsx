import { Status, type Tone } from '../../parts/status.js';

/** The groups of outcomeGroups, in the order in which a chart stacks them. */
export const outcomeGroups = ['ok', 'held', 'refused', 'failed', 'other'] as const;
export type OutcomeGroup = (typeof outcomeGroups)[number];

export const outcomeTitles: Readonly<Record<OutcomeGroup, string>> = {
  ok: 'ok',
  held: 'held',
  refused: 'denied or rejected',
  failed: 'failed',
  other: 'running, canceled',
};

export function outcomeGroupOf(status: string): OutcomeGroup {
  switch (status) {
    case 'ok':
    case 'held':
      return status;
    case 'denied':
    case 'rejected':
      return 'refused';
    case 'running':
    case 'canceled':
      return 'other';
    default:
      return 'failed';
  }
}

const tones: Readonly<Record<OutcomeGroup, Tone>> = {
  ok: 'good',
  held: 'warning',
  refused: 'info',
  failed: 'bad',
  other: 'neutral',
};

export function OutcomeStatus({ status }: { readonly status: string }) {
  return <Status tone={tones[outcomeGroupOf(status)]}>{status}</Status>;
}
