import { useSignal } from '@preact/signals';
import type { PublicationReview, PublicationReviews } from '../../host/host.js';
import type { ContributionFinding, ContributionSeverity } from '../../model/contribution.js';
import type { Live } from '../shell/live.js';
import { me, sessionApi } from '../shell/operations.js';
import { attempt } from '../shell/toasts.js';
import { Button } from './button.js';
import { RevealedText } from './revealed-text.js';
import { Section } from './section.js';
import { Status, type Tone } from './status.js';
import { TimeText } from './time-text.js';

/** Packages that somebody wants to publish in a registry of this machine, and that the checks leave to a person. */
export function Publications({ from }: { readonly from: Live<PublicationReviews> }) {
  const { waiting = [], problems = [] } = from.value ?? {};
  if (waiting.length === 0 && problems.length === 0) return null;
  return (
    <Section title="Packages to publish">
      {problems.map(({ registry, message }) => (
        <p key={registry} class="note bad">
          {registry}: <RevealedText text={message} />
        </p>
      ))}
      {waiting.map((it) => (
        <PublicationCard key={`${it.registry} ${it.id}`} review={it} />
      ))}
    </Section>
  );
}

function PublicationCard({ review }: { readonly review: PublicationReview }) {
  const note = useSignal('');
  const { registry, id, sha256, publisher, submittedAt, verdict } = review;
  const name = verdict.package === null ? id : `${verdict.package.id} ${verdict.package.version}`;
  const decide = (decision: 'approved' | 'rejected') =>
    attempt(async () => {
      const given = note.value.trim() === '' ? {} : { note: note.value.trim() };
      await sessionApi.registries.decideReview({ registry, id, sha256, decision, ...given, by: me });
      return decision === 'approved'
        ? `${name} was approved. Its publisher can publish it now.`
        : `${name} was rejected.`;
    });
  return (
    <article class="card publication" aria-label={name}>
      <header>
        <h3>
          <RevealedText text={name} />
        </h3>
        <p class="dim">
          <RevealedText text={publisher} /> wants to publish it in {registry} ·{' '}
          <TimeText at={Date.parse(submittedAt)} />
        </p>
      </header>
      <dl class="facts">
        <dt>Format</dt>
        <dd>
          <RevealedText text={verdict.package?.format ?? 'unknown: its manifest has errors'} />
        </dd>
        <dt>Tools</dt>
        <dd>
          <RevealedText text={verdict.package?.tools.join(', ') || 'none'} />
        </dd>
        <dt>Texts</dt>
        <dd>
          <RevealedText text={modelText(review)} />
        </dd>
        <dt>Archive</dt>
        <dd class="hash">{sha256}</dd>
      </dl>
      <FindingList findings={verdict.findings} />
      <label class="deny-note">
        Note for the publisher
        <input
          maxLength={500}
          value={note.value}
          onInput={(event) => {
            note.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class="actions">
        <Button kind="primary" disabled={verdict.decision === 'reject'} onClick={() => decide('approved')}>
          Approve
        </Button>
        <Button kind="danger" onClick={() => decide('rejected')}>
          Reject
        </Button>
      </div>
    </article>
  );
}

const tones: Readonly<Record<ContributionSeverity, Tone>> = {
  reject: 'bad',
  review: 'warning',
  warn: 'neutral',
  info: 'info',
};

/** All of them: the person decides with everything that the checks saw. */
function FindingList({ findings }: { readonly findings: readonly ContributionFinding[] }) {
  if (findings.length === 0) return <p class="dim">The checks found nothing.</p>;
  return (
    <ul class="publication-findings" aria-label="Findings">
      {findings.map((it, index) => (
        <li key={index}>
          <Status tone={tones[it.severity] ?? 'bad'}>{it.severity}</Status> <RevealedText text={it.message} />
          <div class="dim">
            <RevealedText text={`${it.file}:${it.range.line}${it.pointer ? ` ${it.pointer}` : ''}`} /> ·{' '}
            {it.code}
          </div>
          {it.hint !== undefined && (
            <div class="dim">
              <RevealedText text={it.hint} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function modelText({ verdict: { model } }: PublicationReview): string {
  switch (model.status) {
    case 'checked':
      return `${model.texts} were read by the model ${model.model}`;
    case 'failed':
      return `the model ${model.model} could not read them: ${model.reason}`;
    default:
      return 'no model read them';
  }
}
