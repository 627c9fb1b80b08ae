import type { LimitUse } from '../../../host/host.js';
import { spanText } from '../../parts/amount-text.js';
import { MeterBar } from '../../parts/meter.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { type Column, Table } from '../../parts/table.js';
import { useOverview } from './overview.js';

const columns: readonly Column<LimitUse>[] = [
  {
    title: 'Limit of',
    grows: true,
    cell: ({ tool, principal }) => (
      <>
        <strong>
          <RevealedText text={tool} />
        </strong>
        <div class="dim">
          <RevealedText text={principal} />
        </div>
      </>
    ),
  },
  {
    title: 'Used',
    cell: ({ used, max, kind, tool }) => (
      <>
        {amount(used)} of {max === null ? '?' : amount(max)} {kind === 'calls' ? 'calls' : ''}
        {max !== null && (
          <MeterBar
            value={used}
            max={max}
            label={`${tool}: ${amount(used)} of ${amount(max)}`}
            tone={used >= max ? 'bad' : used >= max * 0.8 ? 'warning' : 'good'}
          />
        )}
      </>
    ),
  },
  { title: 'In', wideOnly: true, cell: ({ windowMs }) => spanText(windowMs) },
];

/** Limits that are partly used, the fullest first. */
export function LimitMeters() {
  const limits = useOverview().value?.limits ?? [];
  const isUnknown = limits.some((it) => it.max === null);
  return (
    <Section title="Limits in use">
      {limits.length === 0 ? (
        <p class="dim">No limit is used now.</p>
      ) : (
        <Table
          label="Limits in use"
          columns={columns}
          rows={limits}
          keyOf={({ principal, tool, kind, windowMs }) => JSON.stringify([principal, tool, kind, windowMs])}
        />
      )}
      {isUnknown && <p class="dim">A question mark: no call used the limit since the host started.</p>}
    </Section>
  );
}

function amount(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 });
}
