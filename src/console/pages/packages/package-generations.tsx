import type { GenerationEntry } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded, Section } from '../../parts/section.js';
import { type Column, Table } from '../../parts/table.js';
import { TimeText } from '../../parts/time-text.js';
import { useLive } from '../../shell/live.js';
import { me, sessionApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** The versions of an installed package that are kept, newest first. A package in a folder has none. */
export function PackageGenerations({ id }: { readonly id: string }) {
  const history = useLive(
    ['packages'],
    async () => {
      const installed = await sessionApi.installations.list();
      return installed.some((it) => it.package === id) ? sessionApi.installations.history(id) : [];
    },
    id,
  );
  // Most packages have none, so nothing is said before they are read.
  if (history.value === undefined ? history.error === undefined : history.value.length === 0) return null;
  const columns: readonly Column<GenerationEntry>[] = [
    { title: 'Generation', cell: (it) => it.generation },
    { title: 'Version', cell: (it) => <RevealedText text={it.version} /> },
    { title: 'Source', wideOnly: true, grows: true, cell: (it) => <RevealedText text={it.resolved} /> },
    { title: 'Smoke test', wideOnly: true, cell: (it) => it.smoke.status },
    { title: 'Installed', wideOnly: true, cell: (it) => <TimeText at={it.createdAt} /> },
    {
      title: 'Served',
      cell: (it) =>
        it.isCurrent ? (
          'now'
        ) : (
          <Button
            onClick={() =>
              attempt(async () => {
                await sessionApi.installations.rollback({ package: id, generation: it.generation, by: me });
                return `Generation ${it.generation} of ${id} is served now.`;
              })
            }
          >
            Roll back
          </Button>
        ),
    },
  ];
  return (
    <Section title="Generations">
      <Loaded from={history}>
        {(rows) => (
          <Table label="Generations" columns={columns} rows={rows} keyOf={(it) => String(it.generation)} />
        )}
      </Loaded>
    </Section>
  );
}
