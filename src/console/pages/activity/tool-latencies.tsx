import type { ActivityGroup, ActivitySummary } from '../../../model/activity.js';
import { countText, msText } from '../../parts/amount-text.js';
import { MeterBar } from '../../parts/meter.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { type Column, Table } from '../../parts/table.js';
import { choose } from './activity-filter.js';

/** The most called tools with their latency percentiles, and why calls were held. */
export function ToolLatencies({ summary }: { readonly summary: ActivitySummary }) {
  const { tools, holds, latency, statuses } = summary;
  const most = Math.max(1, ...tools.map((it) => it.calls));
  const columns: readonly Column<ActivityGroup>[] = [
    {
      title: 'Tool',
      grows: true,
      cell: ({ name, calls }) => (
        <>
          <button type="button" class="text" onClick={() => choose({ tool: name })}>
            <RevealedText text={name} />
          </button>
          <MeterBar
            value={calls}
            max={most}
            label={`${countText(calls, 'call')} of at most ${most}`}
            tone="info"
          />
        </>
      ),
    },
    { title: 'Calls', align: 'end', cell: ({ calls }) => calls.toLocaleString('en') },
    { title: 'Failed', align: 'end', wideOnly: true, cell: ({ failed }) => failed.toLocaleString('en') },
    { title: 'Held', align: 'end', wideOnly: true, cell: ({ held }) => held.toLocaleString('en') },
    { title: 'p50', align: 'end', wideOnly: true, cell: (it) => msText(it.latency.p50) },
    { title: 'p95', align: 'end', cell: (it) => msText(it.latency.p95) },
    { title: 'p99', align: 'end', wideOnly: true, cell: (it) => msText(it.latency.p99) },
  ];
  const failed = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (['ok', 'held', 'running'].includes(status) ? 0 : count),
    0,
  );
  return (
    <>
      <dl class="figures">
        <Figure title="Calls" value={summary.total.toLocaleString('en')} />
        <Figure title="Not ok" value={failed.toLocaleString('en')} />
        <Figure title="Held" value={(statuses.held ?? 0).toLocaleString('en')} />
        <Figure title="p50" value={msText(latency.p50)} />
        <Figure title="p95" value={msText(latency.p95)} />
        <Figure title="p99" value={msText(latency.p99)} />
      </dl>
      {tools.length > 0 && (
        <Section title={tools.length === 20 ? 'The 20 most called tools' : 'Tools'}>
          <Table label="Tools" columns={columns} rows={tools} keyOf={(it) => it.name} />
        </Section>
      )}
      {Object.keys(holds).length > 0 && (
        <Section title="Why calls were held">
          <ul class="holds">
            {Object.entries(holds)
              .sort(([, a], [, b]) => b - a)
              .map(([reason, count]) => (
                <li key={reason}>
                  <RevealedText text={reason.replaceAll('_', ' ')} />
                  <strong>{count.toLocaleString('en')}</strong>
                </li>
              ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Figure({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  );
}
