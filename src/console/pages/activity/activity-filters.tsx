import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ActivitySummary } from '../../../model/activity.js';
import { Button } from '../../parts/button.js';
import { packages } from '../inbox/inbox.js';
import { choose, chooseEverything, filter, isNarrowed, spans, statuses } from './activity-filter.js';

/** Which calls to show. Names are offered from what was called; anything can be typed. */
export function ActivityFilters({ summary }: { readonly summary: ActivitySummary | undefined }) {
  const chosen = filter.value;
  const ids = (packages.value.value ?? []).flatMap((it) => it.id ?? []);
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Time
        <select
          value={chosen.part === null ? String(chosen.spanMs ?? 'all') : 'part'}
          onInput={(event) => {
            const { value } = event.currentTarget;
            if (value !== 'part') choose({ spanMs: value === 'all' ? null : Number(value), part: null });
          }}
        >
          {chosen.part !== null && <option value="part">chosen in the chart</option>}
          {spans.map(([text, ms]) => (
            <option key={text} value={String(ms ?? 'all')}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Outcome
        <select value={chosen.status} onInput={(event) => choose({ status: event.currentTarget.value })}>
          <option value="">all</option>
          {statuses.map((it) => (
            <option key={it} value={it}>
              {it}
            </option>
          ))}
        </select>
      </label>
      <TextFilter name="package" title="Package" offered={ids} />
      <TextFilter name="tool" title="Tool" offered={summary?.tools.map((it) => it.name) ?? []} />
      <TextFilter name="client" title="Client" offered={summary?.principals.map((it) => it.name) ?? []} />
      <TextFilter name="text" title="Text" offered={[]} />
      {isNarrowed(chosen) && <Button onClick={chooseEverything}>Clear the filters</Button>}
    </form>
  );
}

interface TextFilterProps {
  readonly name: 'package' | 'tool' | 'client' | 'text';
  readonly title: string;
  readonly offered: readonly string[];
}

const pauseMs = 250;

function TextFilter({ name, title, offered }: TextFilterProps) {
  const id = `filter-${name}`;
  const chosen = filter.value[name];
  // What is typed stays while the page is drawn again, until it is chosen; then also its spaces.
  const typed = useSignal<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (timer.current === undefined && typed.peek()?.trim() !== chosen) typed.value = null;
  }, [chosen]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label>
      {title}
      <input
        value={typed.value ?? chosen}
        list={offered.length === 0 ? undefined : id}
        placeholder={name === 'text' ? 'in any column' : 'all'}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => {
          const { value } = event.currentTarget;
          typed.value = value;
          clearTimeout(timer.current);
          // Not with every letter: each choice reads the table again.
          timer.current = setTimeout(() => {
            timer.current = undefined;
            choose({ [name]: value.trim() });
          }, pauseMs);
        }}
      />
      {offered.length > 0 && (
        <datalist id={id}>
          {offered.map((it) => (
            <option key={it} value={it} />
          ))}
        </datalist>
      )}
    </label>
  );
}
