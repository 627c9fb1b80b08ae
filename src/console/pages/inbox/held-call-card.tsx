import { useSignal } from '@preact/signals';
import { type ApprovalRequest, type Evidence, isHeldForTaint, maxAsked } from '../../../model/approval.js';
import { ArgumentList } from '../../parts/argument-list.js';
import { Button } from '../../parts/button.js';
import { EvidenceList } from '../../parts/evidence-list.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Status } from '../../parts/status.js';
import { clock, TimeText } from '../../parts/time-text.js';
import { openInTry } from '../../shell/prepared-call.js';
import { ArgumentEditor } from './argument-editor.js';
import { approve, deny } from './decisions.js';
import { packages, sessions } from './inbox.js';
import { RuleDialog } from './rule-dialog.js';

interface HeldCallCardProps {
  readonly call: ApprovalRequest;
  readonly isChosen: boolean;
  readonly isEditing: boolean;
  readonly onChoose: () => void;
  readonly onEdit: (isOpen: boolean) => void;
}

/** Everything about one held call, and what can be done with it. */
export function HeldCallCard({ call, isChosen, isEditing, onChoose, onEdit }: HeldCallCardProps) {
  const isRuleOpen = useSignal(false);
  const note = useSignal('');
  const asked = useSignal('');
  const { id, tool, kind, reasons, evidence, principal, client, createdAt, expiresAt } = call;
  const isObject =
    typeof call.arguments === 'object' && call.arguments !== null && !Array.isArray(call.arguments);
  const isLate = expiresAt - clock.value < 60_000;
  return (
    <article
      id={`held-${id}`}
      class={`card held ${isChosen ? 'chosen' : ''}`}
      aria-labelledby={`title-${id}`}
      tabIndex={-1}
      onFocusCapture={onChoose}
    >
      <header>
        <h3 id={`title-${id}`}>
          <RevealedText text={tool} />
        </h3>
        <Status tone={toneOf(evidence)}>{kind.replaceAll('_', ' ')}</Status>
        <p class="dim">
          {client === '' ? principal : `${principal} · ${client}`} · <TimeText at={createdAt} />
          {' · '}
          <span class={isLate ? 'problem' : undefined}>
            ends <TimeText at={expiresAt} />
          </span>
        </p>
      </header>
      <ul class="reasons">
        {reasons.map((it) => (
          <li key={it}>
            <RevealedText text={it} />
          </li>
        ))}
      </ul>
      <EvidenceList evidence={evidence} />
      <Surroundings call={call} />
      <ArgumentList value={call.arguments} />
      <label class="deny-note">
        <span class="dim">What to tell the agent if you deny (optional)</span>
        <input
          maxLength={500}
          value={note.value}
          onInput={(event) => {
            note.value = event.currentTarget.value;
          }}
        />
      </label>
      {isHeldForTaint(call) && (
        <label class="deny-note">
          <span class="dim">
            What did you ask for? (optional, in your own words; what it names needs no question later)
          </span>
          <input
            maxLength={maxAsked}
            value={asked.value}
            onInput={(event) => {
              asked.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      <div class="actions">
        <Button kind="primary" shortcut="y" onClick={() => approve(call, asked.value)}>
          Approve
        </Button>
        <Button kind="danger" shortcut="n" onClick={() => deny(call, note.value)}>
          Deny
        </Button>
        {isObject && (
          <>
            <Button shortcut="e" onClick={() => onEdit(true)}>
              Change…
            </Button>
            <Button
              onClick={() => {
                isRuleOpen.value = true;
              }}
            >
              Always…
            </Button>
            <Button kind="quiet" onClick={() => openInTry(call.tool, call.arguments)}>
              Try…
            </Button>
          </>
        )}
      </div>
      {isEditing && isObject && <ArgumentEditor call={call} onClose={() => onEdit(false)} />}
      {isRuleOpen.value && (
        <RuleDialog
          call={call}
          onClose={() => {
            isRuleOpen.value = false;
          }}
        />
      )}
    </article>
  );
}

/** Where the caller works, and what confines the tool. */
function Surroundings({ call: { session, tool, evidence } }: { readonly call: ApprovalRequest }) {
  const root = sessions.value.value?.find((it) => it.id === session)?.root;
  const sandbox = packages.value.value?.find((it) => it.id === tool.split('/')[0])?.sandbox;
  const isFolderShown = evidence.some((it) => it.kind === 'workspace');
  if ((root === undefined || isFolderShown) && sandbox === undefined) return null;
  return (
    <dl class="facts">
      {root !== undefined &&
        !isFolderShown && [
          <dt key="folder">Folder</dt>,
          <dd key="folder-text">
            <RevealedText text={root} />
          </dd>,
        ]}
      {sandbox !== undefined && [<dt key="sandbox">Sandbox</dt>, <dd key="sandbox-text">{sandbox}</dd>]}
    </dl>
  );
}

function toneOf(evidence: readonly Evidence[]): 'bad' | 'warning' {
  return evidence.some((it) => it.kind === 'effect' && /destructive/.test(it.text)) ? 'bad' : 'warning';
}
