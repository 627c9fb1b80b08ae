import type { RegistryStatus } from '../../../host/host.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { TimeText } from '../../parts/time-text.js';

/** The configured registries, and what this machine has seen of each. */
export function RegistryList({ registries }: { readonly registries: readonly RegistryStatus[] }) {
  return (
    <Section title="Registries of this host">
      {registries.map(({ name, url, path, priority, namespaces, head, expired, problem }) => (
        <article key={name} class="card">
          <header>
            <h3>{name}</h3>
            {problem !== null ? (
              <Status tone="bad">cannot be used</Status>
            ) : expired.length > 0 ? (
              <Status tone="warning">expired</Status>
            ) : (
              <Status tone="good">verified</Status>
            )}
          </header>
          {problem !== null && (
            <p class="note bad">
              <RevealedText text={problem} />
            </p>
          )}
          {expired.map((it) => (
            <p key={it} class="note warning">
              <RevealedText text={it} />
            </p>
          ))}
          <dl class="facts">
            <dt>{url === null ? 'Folder' : 'Address'}</dt>
            <dd>
              <RevealedText text={url ?? path ?? ''} />
            </dd>
            <dt>Priority</dt>
            <dd>{priority}</dd>
            {namespaces.length > 0 && [
              <dt key="only">Only here</dt>,
              <dd key="namespaces">{namespaces.join(', ')}</dd>,
            ]}
            <dt>Log</dt>
            <dd>
              {head === null ? (
                'nothing seen yet'
              ) : (
                <>
                  {head.size.toLocaleString('en')} {head.size === 1 ? 'entry' : 'entries'}, seen{' '}
                  <TimeText at={Date.parse(head.seenAt)} />
                  <div class="dim hash">{head.root}</div>
                </>
              )}
            </dd>
          </dl>
        </article>
      ))}
    </Section>
  );
}
