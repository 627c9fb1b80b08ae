import { Button } from '../../parts/button.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { useLive } from '../../shell/live.js';
import { sessionApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** Language packages and images that the programs of a package need and this machine does not have yet. */
export function PackageSetup({ id }: { readonly id: string }) {
  const plan = useLive(['packages'], () => sessionApi.install(id, { dryRun: true }), id);
  const needed = (plan.value?.steps ?? []).filter((it) => it.status === 'needed');
  if (needed.length === 0) return null;
  const install = () =>
    attempt(async () => {
      await sessionApi.install(id);
      return `What ${id} needs is installed.`;
    });
  return (
    <Section title="Not installed yet">
      <div class="card">
        <ul class="reasons">
          {needed.map(({ name, detail }) => (
            <li key={name}>
              <RevealedText text={detail === undefined ? name : `${name}: ${detail}`} />
            </li>
          ))}
        </ul>
        <p class="dim">
          Installing fetches them from the configured indexes, in the sandbox. It can take some minutes.
        </p>
        <div class="actions">
          <Button kind="primary" onClick={install}>
            Install
          </Button>
        </div>
      </div>
    </Section>
  );
}
