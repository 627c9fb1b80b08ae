import type { MovedFile } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { TimeText } from '../../parts/time-text.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** Files that appeared in places that steer other programs while a tool could write there. */
export function MovedFiles({ files }: { readonly files: readonly MovedFile[] }) {
  if (files.length === 0) return null;
  return (
    <Section title="Files that were moved aside">
      {files.map(({ id, path, packages, at, stored }) => (
        <article key={id} class="card item">
          <div>
            <h3>
              <RevealedText text={path} />
            </h3>
            <p>
              It steers other programs and appeared while <RevealedText text={packages.join(', ')} /> could
              write there.
            </p>
            <p class="dim">
              Now at <RevealedText text={stored} /> · <TimeText at={at} />
            </p>
          </div>
          <div class="actions">
            <Button
              onClick={() =>
                attempt(async () => {
                  await hostApi.quarantine.restore(id, me);
                  return 'The file is back where it was.';
                })
              }
            >
              Put back
            </Button>
            <Button
              kind="danger"
              onClick={async () => {
                const isSure = await confirmWith({
                  title: 'Delete the file?',
                  text: <p>It cannot be restored.</p>,
                  yes: 'Delete',
                  danger: true,
                });
                if (!isSure) return;
                await attempt(async () => {
                  await hostApi.quarantine.delete(id, me);
                  return 'The file was deleted.';
                });
              }}
            >
              Delete
            </Button>
          </div>
        </article>
      ))}
    </Section>
  );
}
