import { AuditState } from '../../parts/audit-state.js';
import { Loaded, Section } from '../../parts/section.js';
import { hostApi } from '../../shell/operations.js';
import { useSlowLive } from '../../shell/slow-live.js';
import type { ConsolePage } from '../page.js';
import { filter, hostFilter } from './activity-filter.js';
import { ActivityFilters } from './activity-filters.js';
import { CallStory } from './call-story.js';
import { CallsChart } from './calls-chart.js';
import { CallsExport } from './calls-export.js';
import { CallsTable } from './calls-table.js';
import { ToolLatencies } from './tool-latencies.js';

export const activityPage: ConsolePage = {
  path: 'activity',
  title: 'Activity',
  key: 'a',
  icon: 'M4 19V5M4 19h16M8 15v-4M12 15V8M16 15v-6',
  view: Activity,
};

/** How often the figures are read again while calls arrive. The host looks at every call for them. */
const figuresMs = 2000;
const bars = 60;

function Activity({ rest: [call] }: { readonly rest: readonly string[] }) {
  return call === undefined ? <ActivityOverview /> : <CallStory key={call} call={call} />;
}

function ActivityOverview() {
  const chosen = filter.value;
  const key = JSON.stringify(chosen);
  const current = () => hostFilter(chosen, Date.now());
  const summary = useSlowLive(['calls'], () => readSummary(current()), { key, everyMs: figuresMs });
  return (
    <div class="page activity">
      <header>
        <h1>Activity</h1>
        <p class="dim">What clients called, from the audit log.</p>
      </header>
      <ActivityFilters summary={summary.value} />
      <Loaded from={summary}>
        {(it) => (
          <>
            <Section title="Calls per minute">
              <CallsChart summary={it} />
            </Section>
            <ToolLatencies summary={it} />
          </>
        )}
      </Loaded>
      <Section title="Calls" actions={<CallsExport filter={current} />}>
        <CallsTable filter={current} filterKey={key} />
      </Section>
      <AuditState />
    </div>
  );
}

/** Without a beginning, the chart begins with the oldest call that fits. */
async function readSummary(asked: ReturnType<typeof hostFilter>) {
  if (asked.since !== undefined)
    return hostApi.activity.summary({ ...asked, since: asked.since, buckets: bars });
  const { total } = await hostApi.activity.calls({ ...asked, limit: 1 });
  const { calls } = await hostApi.activity.calls({ ...asked, offset: Math.max(0, total - 1), limit: 1 });
  return hostApi.activity.summary({ ...asked, since: calls[0]?.at ?? Date.now() - 3_600_000, buckets: bars });
}
