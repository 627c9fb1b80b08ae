import { useSignal } from '@preact/signals';
import type { RequestedInstallation } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { InstallDialog } from '../../parts/install-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { TimeText } from '../../parts/time-text.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** Packages that agents asked for. Nothing was fetched yet. */
export function AskedPackages({ requests }: { readonly requests: readonly RequestedInstallation[] }) {
  if (requests.length === 0) return null;
  return (
    <Section title="Agents ask for packages">
      {requests.map((it) => (
        <RequestCard key={it.id} request={it} />
      ))}
    </Section>
  );
}

function RequestCard({ request }: { readonly request: RequestedInstallation }) {
  const isOpen = useSignal(false);
  const { id, source, reason, seenIn, principal, root, createdAt } = request;
  return (
    <article class="card">
      <header>
        <h3>
          <RevealedText text={source} />
        </h3>
        <p class="dim">
          <RevealedText text={principal} /> · <TimeText at={createdAt} /> · <RevealedText text={root} />
        </p>
      </header>
      <blockquote>
        <RevealedText text={reason} />
      </blockquote>
      {seenIn !== null && (
        <p>
          The agent may have it from others. <RevealedText text={seenIn} />
        </p>
      )}
      <p class="dim">The agent wrote this. Nobody checked it, and nothing was fetched.</p>
      <div class="actions">
        <Button
          kind="primary"
          onClick={() => {
            isOpen.value = true;
          }}
        >
          Look at the plan…
        </Button>
        <Button
          kind="danger"
          onClick={() =>
            attempt(async () => {
              await hostApi.installRequests.refuse(id, undefined, me);
              return 'The request was refused.';
            })
          }
        >
          Refuse
        </Button>
      </div>
      {isOpen.value && (
        <InstallDialog
          what={{ request: id }}
          source={source}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </article>
  );
}
