import { signal } from '@preact/signals';
import type { PackageChange, PackageStateName } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { Dialog } from '../../parts/dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { useLive } from '../../shell/live.js';
import { hostApi, me, sessionApi } from '../../shell/operations.js';
import { navigate } from '../../shell/route.js';
import { attempt } from '../../shell/toasts.js';

const revoked = signal<PackageChange | null>(null);

/** Stop, enable, disable and revoke. Stopping never needs the PIN. */
export function PackageActions({ id, state }: { readonly id: string; readonly state: PackageStateName }) {
  const installed = useLive(['packages'], () => sessionApi.installations.list(), id);
  const isInstalled = installed.value?.some((it) => it.package === id) === true;
  const setEnabled = (enabled: boolean) =>
    attempt(async () => {
      await hostApi.switches.set(id, enabled, me);
      return enabled ? `${id} is enabled.` : `${id} is disabled.`;
    });
  const revoke = async () => {
    const isSure = await confirmWith({
      title: `Revoke ${id}?`,
      text: (
        <p>
          Its kill switch is used, then the package, its files and its secrets are removed. This cannot be
          undone.
        </p>
      ),
      yes: 'Revoke',
      danger: true,
    });
    if (!isSure) return;
    await attempt(async () => {
      revoked.value = await sessionApi.installations.revoke({ package: id, by: me });
      return undefined;
    });
  };
  return (
    <div class="actions">
      {state === 'killed' ? (
        <Button
          onClick={() =>
            attempt(async () => {
              await hostApi.kills.lift(id, me);
              return `${id} may run again.`;
            })
          }
        >
          Lift the stop
        </Button>
      ) : (
        <Button kind="danger" onClick={() => stop(id)}>
          Stop
        </Button>
      )}
      {state === 'disabled' ? (
        <Button onClick={() => setEnabled(true)}>Enable</Button>
      ) : (
        <Button onClick={() => setEnabled(false)}>Disable</Button>
      )}
      {isInstalled && (
        <Button kind="danger" onClick={revoke}>
          Revoke…
        </Button>
      )}
    </div>
  );
}

/** Ends the running calls of a package at once, and denies new ones until somebody lifts the stop. */
function stop(id: string): Promise<boolean> {
  return attempt(async () => {
    const { ended, voided } = await hostApi.kills.set(id, me);
    const calls =
      ended === 0 ? 'no call was running' : `stopped ${ended} running ${ended === 1 ? 'call' : 'calls'}`;
    const held = voided === 0 ? '' : `, voided ${voided} held ${voided === 1 ? 'call' : 'calls'}`;
    return `${id} is stopped: ${calls}${held}.`;
  });
}

/** What was revoked, and what is left to do. The package itself is gone by then, so it belongs to the page. */
export function RevokedDialog() {
  const change = revoked.value;
  if (change === null) return null;
  const { package: id, steps, left, manualSteps } = change;
  const onClose = () => {
    revoked.value = null;
    navigate('packages');
  };
  return (
    <Dialog title={`${id} was revoked`} onClose={onClose}>
      <ul class="steps">
        {steps.map(({ name, status, detail }) => (
          <li key={name}>
            {name}: {status}
            {detail !== undefined && (
              <span class="dim">
                {' · '}
                <RevealedText text={detail} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {[...manualSteps, ...left].map((it) => (
        <p key={it} class="note warning">
          <RevealedText text={it} />
        </p>
      ))}
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
