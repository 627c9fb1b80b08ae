import { conditionText, type StandingRule } from '../../../model/standing-rule.js';
import { countText } from '../../parts/amount-text.js';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { clock, TimeText } from '../../parts/time-text.js';
import { hostApi, me } from '../../shell/operations.js';
import { useSlowLive } from '../../shell/slow-live.js';
import { attempt } from '../../shell/toasts.js';

/** Calls use rules, and only how often is then new. */
const everyMs = 2000;

/** Rules that answer instead of the person, with a way to end each. */
export function RulesInForce() {
  const known = useSlowLive(['approvals', 'packages', 'calls'], () => hostApi.approvals.rules.list(), {
    everyMs,
  });
  const inForce = (known.value ?? []).filter(
    ({ state, expiresAt }) => state === 'active' && (expiresAt === null || expiresAt > clock.value),
  );
  if (inForce.length === 0) return null;
  return (
    <Section title={countText(inForce.length, 'standing rule')}>
      {inForce.map((it) => (
        <RuleCard key={it.id} rule={it} />
      ))}
    </Section>
  );
}

function RuleCard({ rule }: { readonly rule: StandingRule }) {
  const { tool, principal, conditions, destructive, expiresAt, createdBy, createdAt, verified, used } = rule;
  return (
    <article class="card item" aria-label={`Standing rule for ${tool}`}>
      <div>
        <h3>
          <RevealedText text={tool} /> {destructive && <Status tone="bad">also what cannot be undone</Status>}{' '}
          {!verified && <Status tone="warning">not verified</Status>}
        </h3>
        <ul class="reasons">
          {conditions.map((it) => (
            <li key={it.argument + it.condition.test}>
              <RevealedText text={conditionText(it)} />
            </li>
          ))}
        </ul>
        <p>
          Calls of <RevealedText text={principal ?? 'every caller'} /> within these limits run without a
          question.
        </p>
        <p class="dim">
          Added by <RevealedText text={createdBy} /> <TimeText at={createdAt} /> · ends{' '}
          {expiresAt === null ? (
            'when it is revoked or the package changes'
          ) : (
            <>
              <TimeText at={expiresAt} />, or when the package changes
            </>
          )}{' '}
          · allowed {countText(used, 'call')}
        </p>
      </div>
      <Button kind="danger" label={`Revoke the rule for ${tool}`} onClick={() => revoke(rule)}>
        Revoke…
      </Button>
    </article>
  );
}

async function revoke({ id, tool }: StandingRule): Promise<void> {
  const isSure = await confirmWith({
    title: 'Revoke the standing rule?',
    text: (
      <p>
        Calls of <RevealedText text={tool} /> wait for a person again.
      </p>
    ),
    yes: 'Revoke',
    danger: true,
  });
  if (!isSure) return;
  await attempt(async () => {
    await hostApi.approvals.rules.revoke(id, me);
    return `The rule for ${tool} was revoked.`;
  });
}
