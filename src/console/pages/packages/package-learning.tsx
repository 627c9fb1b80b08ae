import { useSignal } from '@preact/signals';
import type { LearnProposal } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { sentence } from '../../parts/sentence.js';
import { me, sessionApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

const weekMs = 7 * 24 * 3600_000;

interface PackageLearningProps {
  readonly id: string;
  readonly isNarrowed: boolean;
}

/** What a package really used, and the smallest grant for it. */
export function PackageLearning({ id, isNarrowed }: PackageLearningProps) {
  const proposal = useSignal<LearnProposal | null>(null);
  const propose = () =>
    attempt(async () => {
      proposal.value = await sessionApi.learning.propose({ package: id, since: Date.now() - weekMs });
      return undefined;
    });
  return (
    <Section
      title="What it really uses"
      actions={
        <>
          {isNarrowed && <Button onClick={() => undo(id)}>Undo the narrowing</Button>}
          <Button onClick={propose}>
            {proposal.value === null ? 'Look at the last 7 days' : 'Look again'}
          </Button>
        </>
      }
    >
      {proposal.value === null ? (
        <p class="dim">Compare what the package may use with what its calls used, and narrow it to that.</p>
      ) : (
        <Proposal
          id={id}
          proposal={proposal.value}
          onDone={() => {
            proposal.value = null;
          }}
        />
      )}
    </Section>
  );
}

function undo(id: string): Promise<boolean> {
  return attempt(async () => {
    await sessionApi.learning.undo(id, me);
    return `${id} may use what its manifest asks for again.`;
  });
}

interface ProposalProps {
  readonly id: string;
  readonly proposal: LearnProposal;
  readonly onDone: () => void;
}

function Proposal({ id, proposal, onDone }: ProposalProps) {
  const { observed, used, current, proposed, removes, missing, unobserved, warnings, narrowing, tools } =
    proposal;
  const apply = () =>
    attempt(async () => {
      await sessionApi.learning.apply({ package: id, ...narrowing, by: me });
      onDone();
      return `${id} may use only what it used.`;
    });
  const list = (texts: readonly string[]) => texts.join(', ') || 'nothing';
  return (
    <div class="card">
      <dl class="facts">
        <dt>Observed</dt>
        <dd>{observed.calls === 1 ? '1 call' : `${observed.calls} calls`}</dd>
        <dt>May use now</dt>
        <dd>
          <RevealedText text={`network: ${list(current.network)}; files: ${current.filesystem}`} />
        </dd>
        <dt>Used</dt>
        <dd>
          <RevealedText
            text={`hosts: ${list(used.hosts)}; folders it changed: ${used.changed === null ? 'not known' : list(used.changed)}`}
          />
        </dd>
        <dt>Proposed</dt>
        <dd>
          <RevealedText text={`network: ${list(proposed.network)}; files: ${proposed.filesystem}`} />
        </dd>
        <dt>It would lose</dt>
        <dd>
          <RevealedText text={list(removes)} />
        </dd>
        {missing.length > 0 && [
          <dt key="missing">It was denied</dt>,
          <dd key="missing-text">
            <RevealedText text={list(missing)} />
          </dd>,
        ]}
        {tools.never.length > 0 && [
          <dt key="never">Never called</dt>,
          <dd key="never-text">
            <RevealedText text={list(tools.never)} />
          </dd>,
        ]}
      </dl>
      {[...warnings, ...unobserved.map((it) => `not observed: ${it}`)].map((it) => (
        <p key={it} class="dim">
          <RevealedText text={sentence(it)} />
        </p>
      ))}
      <div class="actions">
        <Button kind="primary" disabled={removes.length === 0} onClick={apply}>
          Narrow it
        </Button>
      </div>
    </div>
  );
}
