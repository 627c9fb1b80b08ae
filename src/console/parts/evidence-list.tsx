import type { ComponentChildren } from 'preact';
import type { Evidence } from '../../model/approval.js';
import { RevealedText } from './revealed-text.js';

const labels: Readonly<Record<Evidence['kind'], string>> = {
  effect: 'Effect',
  destination: 'Destination',
  amount: 'Amount',
  address: 'Address',
  workspace: 'Folder',
  grant: 'Grant',
  fixed: 'Fixed by a set',
  taint: 'From',
};

interface EvidenceListProps {
  readonly evidence: readonly Evidence[];
  /** Further facts, as `dt` and `dd`. */
  readonly children?: ComponentChildren;
}

/** What a person should see first of a call. */
export function EvidenceList({ evidence, children }: EvidenceListProps) {
  if (evidence.length === 0 && !children) return null;
  return (
    <dl class="facts">
      {evidence.flatMap(({ kind, text, at }) => [
        <dt key={`${kind}${text}${at}`}>{labels[kind]}</dt>,
        <dd
          key={`${kind}${text}${at}-text`}
          class={kind === 'destination' || kind === 'amount' ? 'strong' : undefined}
        >
          <RevealedText text={text} />
          {at !== undefined && !text.startsWith(`${at}: `) && (
            <span class="dim">
              {' in '}
              <RevealedText text={at} />
            </span>
          )}
        </dd>,
      ])}
      {children}
    </dl>
  );
}
