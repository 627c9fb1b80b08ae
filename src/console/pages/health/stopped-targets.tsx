import { countText } from '../../parts/amount-text.js';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded, Section } from '../../parts/section.js';
import { TimeText } from '../../parts/time-text.js';
import { useLive } from '../../shell/live.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** The kill switch: what it stops now, and a button that stops everything. Stopping never needs the PIN. */
export function StoppedTargets() {
  const kills = useLive(['kills'], () => hostApi.kills.list());
  const isAllStopped = kills.value?.some((it) => it.target === 'all') === true;
  return (
    <Section
      title="Kill switch"
      actions={
        !isAllStopped && (
          <Button kind="danger" onClick={stopAll}>
            Stop everything…
          </Button>
        )
      }
    >
      <Loaded from={kills}>
        {(list) =>
          list.length === 0 ? (
            <p class="dim">Nothing is stopped.</p>
          ) : (
            <ul class="bindings">
              {list.map(({ target, at, by }) => (
                <li key={target}>
                  <span>
                    <strong>
                      <RevealedText text={target === 'all' ? 'everything' : target} />
                    </strong>{' '}
                    <span class="dim">
                      stopped by <RevealedText text={by} />, <TimeText at={at} />
                    </span>
                  </span>
                  <Button
                    label={`Lift the stop of ${target}`}
                    onClick={() =>
                      attempt(async () => {
                        await hostApi.kills.lift(target, me);
                        return `${target} may run again.`;
                      })
                    }
                  >
                    Lift
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

async function stopAll(): Promise<void> {
  const isSure = await confirmWith({
    title: 'Stop everything?',
    text: <p>All running calls end at once, and no tool can be called until somebody lifts the stop.</p>,
    yes: 'Stop everything',
    danger: true,
  });
  if (!isSure) return;
  await attempt(async () => {
    const { ended, voided } = await hostApi.kills.set('all', me);
    const held = voided === 0 ? '' : `, voided ${countText(voided, 'held call')}`;
    return `Everything is stopped: stopped ${countText(ended, 'running call')}${held}.`;
  });
}
