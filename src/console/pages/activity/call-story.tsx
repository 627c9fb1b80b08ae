import { useSignal } from '@preact/signals';
import type { AuditEntry, OpenedArguments } from '../../../host/host.js';
import type { ActivityCall } from '../../../model/activity.js';
import type { ApprovalRequest } from '../../../model/approval.js';
import { msText } from '../../parts/amount-text.js';
import { ArgumentList } from '../../parts/argument-list.js';
import { Button } from '../../parts/button.js';
import { CopyButton } from '../../parts/command-text.js';
import { EvidenceList } from '../../parts/evidence-list.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Loaded, Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { dateText } from '../../parts/time-text.js';
import { LongText } from '../../parts/value-view.js';
import { hostApi, me } from '../../shell/operations.js';
import { useSlowLive } from '../../shell/slow-live.js';
import { attempt } from '../../shell/toasts.js';
import { OutcomeStatus } from './outcome-group.js';
import { type StoryStep, storySteps } from './story-steps.js';

interface Story {
  readonly row: ActivityCall;
  readonly entries: readonly AuditEntry[];
  /** Null: it needed none, or it is no longer stored. */
  readonly approval: ApprovalRequest | null;
}

/** Everything that the host knows about one call, from its request to its outcome. */
export function CallStory({ call }: { readonly call: string }) {
  const story = useSlowLive(['calls', 'approvals'], () => readStory(call));
  return (
    <div class="page story">
      <p class="crumbs">
        <Link to={['activity']}>Activity</Link>
      </p>
      <Loaded from={story}>
        {(it) =>
          it === null ? (
            <>
              <h1>No such call</h1>
              <Empty title="It is not among the newest calls">
                <p>The audit log may have it: toolwharf audit show CALL</p>
              </Empty>
            </>
          ) : (
            <StoryView call={call} story={it} />
          )
        }
      </Loaded>
    </div>
  );
}

/** Null: there is no such call. */
async function readStory(call: string): Promise<Story | null> {
  const { calls } = await hostApi.activity.calls({ text: call, limit: 1 });
  const row = calls.find((it) => it.call === call);
  if (row === undefined) return null;
  const entries = await hostApi.activity.entries(call);
  const id = entries.map((it) => it.body.approval).find((it) => typeof it === 'string');
  const approval = typeof id === 'string' ? await hostApi.approvals.get(id).catch(() => null) : null;
  return { row, entries, approval };
}

function StoryView({
  call,
  story: { row, entries, approval },
}: {
  readonly call: string;
  readonly story: Story;
}) {
  const steps = storySteps(entries);
  return (
    <>
      <header class="title">
        <h1>
          <RevealedText text={row.tool || 'A call'} />
        </h1>
        <OutcomeStatus status={row.status} />
        <p class="dim">
          <RevealedText text={row.principal} />
          {` · ${dateText(new Date(row.at))}`}
          {row.durationMs !== null && ` · ${msText(row.durationMs)}`}
        </p>
      </header>
      <p class="call-id">
        <code>{call}</code> <CopyButton text={call} what="the id of the call" />
      </p>
      <Section title="What happened">
        <ol class="steps-line">
          {steps.map((it) => (
            <Step key={it.seq} step={it} />
          ))}
        </ol>
      </Section>
      {approval !== null && <HeldFor approval={approval} />}
      <KeptArguments call={call} />
    </>
  );
}

function Step({ step: { seq, at, title, tone, facts, body } }: { readonly step: StoryStep }) {
  return (
    <li class="card">
      <header>
        <h3>
          <RevealedText text={title} />
        </h3>
        <Status tone={tone}>entry {seq}</Status>
        <p class="dim">
          <time dateTime={at}>{dateText(new Date(at))}</time>
        </p>
      </header>
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(([name, text]) => [
            <dt key={`${name}${text}`}>{name}</dt>,
            <dd key={`${name}${text}-text`}>
              <RevealedText text={text} />
            </dd>,
          ])}
        </dl>
      )}
      <details>
        <summary>The entry in the audit log</summary>
        <LongText text={JSON.stringify(body, null, 2)} />
      </details>
    </li>
  );
}

/** Why a person was asked, with the evidence, and the arguments while they are stored. */
function HeldFor({ approval }: { readonly approval: ApprovalRequest }) {
  const { reasons, evidence, arguments: given, replacement } = approval;
  return (
    <Section title="Why it was held">
      <div class="card">
        <ul class="reasons">
          {reasons.map((it) => (
            <li key={it}>
              <RevealedText text={it} />
            </li>
          ))}
        </ul>
        <EvidenceList evidence={evidence} />
        {given === null ? (
          <p class="dim">Its arguments were erased after it ended.</p>
        ) : (
          <>
            <h3>Arguments</h3>
            <ArgumentList value={given} />
          </>
        )}
        {replacement !== null && (
          <>
            <h3>Arguments that ran instead</h3>
            <ArgumentList value={replacement} />
          </>
        )}
      </div>
    </Section>
  );
}

/** The arguments of a call, if its tool or the configuration keeps them. Opening them is recorded, and needs the PIN. */
function KeptArguments({ call }: { readonly call: string }) {
  const opened = useSignal<OpenedArguments | null>(null);
  return (
    <Section
      title="Kept arguments"
      actions={
        opened.value === null && (
          <Button
            onClick={() =>
              attempt(async () => {
                opened.value = await hostApi.keptArguments.open(call, me);
                return undefined;
              })
            }
          >
            Open them
          </Button>
        )
      }
    >
      {opened.value === null ? (
        <p class="dim">
          The audit log has only digests. Arguments are kept, encrypted, where it is configured. Opening them
          is recorded.
        </p>
      ) : (
        <div class="card">
          {!opened.value.exact && <p class="dim">Secrets were removed before they were stored.</p>}
          <ArgumentList value={opened.value.arguments} />
        </div>
      )}
    </Section>
  );
}
