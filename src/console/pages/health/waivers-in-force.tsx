import type { AcceptedWaiver, SessionWaiver } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded, Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { TimeText } from '../../parts/time-text.js';
import { useLive } from '../../shell/live.js';
import { hostApi, me, sessionApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** Settings that waive a question or a protection: of this host's configuration, and others that were accepted. */
export function WaiversInForce() {
  const waivers = useLive(['clients', 'packages'], async () => ({
    own: await sessionApi.waivers(),
    accepted: await hostApi.waivers.list(),
  }));
  return (
    <Section title="Settings that waive a question or a protection">
      <Loaded from={waivers}>
        {({ own, accepted }) => {
          const others = accepted.filter((it) => !own.some((known) => known.id === it.id));
          if (own.length === 0 && others.length === 0) return <p class="dim">None.</p>;
          return (
            <ul class="bindings">
              {own.map((it) => (
                <OwnWaiver key={it.id} waiver={it} accepted={accepted.find((known) => known.id === it.id)} />
              ))}
              {others.map((it) => (
                <li key={it.id}>
                  <span>
                    <RevealedText text={it.text} />{' '}
                    <span class="dim">
                      accepted, and not part of the configuration that this host serves now
                    </span>
                  </span>
                  <RevokeButton waiver={it} />
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}

interface OwnWaiverProps {
  readonly waiver: SessionWaiver;
  readonly accepted: AcceptedWaiver | undefined;
}

function OwnWaiver({ waiver, accepted }: OwnWaiverProps) {
  const { id, text, active, verified, unused } = waiver;
  return (
    <li>
      <span>
        <RevealedText text={text} />{' '}
        {active ? (
          <Status tone="warning">{verified ? 'in force' : 'in force, not verified'}</Status>
        ) : (
          <Status tone="neutral">not in force</Status>
        )}
        {accepted !== undefined && (
          <span class="dim">
            {' '}
            accepted by <RevealedText text={accepted.acceptedBy} />, <TimeText at={accepted.acceptedAt} />
          </span>
        )}
        {unused !== undefined && (
          <span class="dim">
            {' '}
            <RevealedText text={unused} />
          </span>
        )}
      </span>
      {accepted !== undefined ? (
        <RevokeButton waiver={accepted} />
      ) : (
        !active && (
          <Button
            label={`Accept: ${text}`}
            onClick={() =>
              attempt(async () => {
                await sessionApi.acceptWaiver(id, me);
                return 'The setting is in force.';
              })
            }
          >
            Accept
          </Button>
        )
      )}
    </li>
  );
}

function RevokeButton({ waiver: { id, text } }: { readonly waiver: AcceptedWaiver }) {
  const revoke = async () => {
    const isSure = await confirmWith({
      title: 'Revoke the acceptance?',
      text: (
        <p>
          <RevealedText text={text} />: it has no effect then.
        </p>
      ),
      yes: 'Revoke',
      danger: true,
    });
    if (isSure)
      await attempt(async () => {
        await hostApi.waivers.revoke(id, me);
        return 'The setting has no effect any more.';
      });
  };
  return (
    <Button kind="danger" label={`Revoke: ${text}`} onClick={revoke}>
      Revoke…
    </Button>
  );
}
