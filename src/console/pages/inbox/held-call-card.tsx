import { type ApprovalRequest, isDestructive, isHeldForTaint, maxAsked } from '../../../model/approval.js';
import { ArgumentList } from '../../parts/argument-list.js';
import { Button } from '../../parts/button.js';
import { EvidenceList } from '../../parts/evidence-list.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Status } from '../../parts/status.js';
import { clock, TimeText } from '../../parts/time-text.js';
import { openInTry } from '../../shell/prepared-call.js';
import { ArgumentEditor } from './argument-editor.js';
import { approve, decisionTexts, deny, hasArguments, mayBeRule, write } from './decisions.js';
import { packages, sessions } from './inbox.js';
import { RuleDialog } from './rule-dialog.js';

interface HeldCallCardProps {
  readonly call: ApprovalRequest;
  readonly isChosen: boolean;
  /** The dialog that is open for it. */
  readonly dialog: HeldCallDialog | null;
  readonly onChoose: () => void;
  readonly onDialog: (open: HeldCallDialog | null) => void;
}

/** `change`: its arguments. `rule`: a standing rule for calls like it. */
export type HeldCallDialog = 'change' | 'rule';

/** Everything about one held call, and what can be done with it. */
export function HeldCallCard({ call, isChosen, dialog, onChoose, onDialog }: HeldCallCardProps) {
  const { note, asked } = decisionTexts(call);
  const { id, tool, kind, reasons, evidence, principal, client, createdAt, expiresAt } = call;
  const isObject = hasArguments(call);
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
        <Status tone={isDestructive(call) ? 'bad' : 'warning'}>{kind.replaceAll('_', ' ')}</Status>
        <p class="dim">
          <RevealedText text={principal} /> ·{' '}
          {client !== '' && (
            <>
              <RevealedText text={client} /> ·{' '}
            </>
          )}
          <TimeText at={createdAt} />
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
      <EvidenceList evidence={evidence}>{surroundings(call)}</EvidenceList>
      <ArgumentList value={call.arguments} />
      <label class="deny-note">
        <span class="dim">What to tell the agent if you deny (optional)</span>
        <input
          maxLength={500}
          value={note}
          onInput={(event) => write(call, { note: event.currentTarget.value })}
        />
      </label>
      {isHeldForTaint(call) && (
        <label class="deny-note">
          <span class="dim">
            What did you ask for? (optional, in your own words; what it names needs no question later)
          </span>
          <input
            maxLength={maxAsked}
            value={asked}
            onInput={(event) => write(call, { asked: event.currentTarget.value })}
          />
        </label>
      )}
      <div class="actions">
        <Button kind="primary" shortcut="y" onClick={() => approve(call)}>
          Approve
        </Button>
        <Button kind="danger" shortcut="n" onClick={() => deny(call)}>
          Deny
        </Button>
        {isObject && (
          <>
            <Button shortcut="e" onClick={() => onDialog('change')}>
              Change…
            </Button>
            {mayBeRule(call) && (
              <Button shortcut="a" onClick={() => onDialog('rule')}>
                Always…
              </Button>
            )}
            <Button kind="quiet" onClick={() => openInTry(call.tool, call.arguments)}>
              Try…
            </Button>
          </>
        )}
      </div>
      {dialog === 'change' && isObject && <ArgumentEditor call={call} onClose={() => onDialog(null)} />}
      {dialog === 'rule' && mayBeRule(call) && <RuleDialog call={call} onClose={() => onDialog(null)} />}
    </article>
  );
}

/** Where the caller works, and what confines the tool. */
function surroundings({ session, tool, evidence }: ApprovalRequest) {
  const root = sessions.value.value?.find((it) => it.id === session)?.root;
  const sandbox = packages.value.value?.find((it) => it.id === tool.split('/')[0])?.sandbox;
  const isFolderShown = evidence.some((it) => it.kind === 'workspace');
  return [
    ...(root === undefined || isFolderShown
      ? []
      : [
          <dt key="folder">Folder</dt>,
          <dd key="folder-text">
            <RevealedText text={root} />
          </dd>,
        ]),
    ...(sandbox === undefined ? [] : [<dt key="sandbox">Sandbox</dt>, <dd key="sandbox-text">{sandbox}</dd>]),
  ];
}
