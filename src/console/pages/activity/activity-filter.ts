import { signal } from '@preact/signals';
import type { ActivityFilter } from '../../../model/activity.js';

/** What a person chose. Empty texts and null allow everything. */
export interface ChosenFilter {
  /** Milliseconds back from now; null: all that is known. */
  readonly spanMs: number | null;
  /** A part of time that was chosen in the chart, in place of `spanMs`. */
  readonly part: { readonly since: number; readonly until: number } | null;
  readonly package: string;
  readonly tool: string;
  readonly client: string;
  readonly status: string;
  readonly text: string;
}

const hourMs = 3_600_000;
export const spans: readonly (readonly [string, number | null])[] = [
  ['the last 15 minutes', hourMs / 4],
  ['the last hour', hourMs],
  ['the last day', 24 * hourMs],
  ['the last 7 days', 7 * 24 * hourMs],
  ['all', null],
];

export const statuses = [
  'ok',
  'error',
  'timeout',
  'canceled',
  'held',
  'denied',
  'rejected',
  'running',
  'unknown',
] as const;

const texts = ['package', 'tool', 'client', 'status', 'text'] as const;

const everything: ChosenFilter = {
  spanMs: hourMs,
  part: null,
  package: '',
  tool: '',
  client: '',
  status: '',
  text: '',
};

/** Also in the address, so that a page that is loaded again or shared shows the same. */
export const filter = signal<ChosenFilter>(read(new URLSearchParams(location.search)));

export function choose(change: Partial<ChosenFilter>): void {
  filter.value = { ...filter.peek(), ...change };
  const query = write(filter.peek()).toString();
  history.replaceState(null, '', `${location.pathname}${query === '' ? '' : `?${query}`}`);
}

export function chooseEverything(): void {
  choose({ ...everything, spanMs: filter.peek().spanMs });
}

export function isNarrowed({ part, package: pkg, tool, client, status, text }: ChosenFilter): boolean {
  return part !== null || [pkg, tool, client, status, text].some((it) => it !== '');
}

/** As the host understands it. The span ends now, so that new calls are inside. */
export function hostFilter(chosen: ChosenFilter, now: number): ActivityFilter {
  const { part, spanMs, package: pkg, tool, client, status, text } = chosen;
  const since = part?.since ?? (spanMs === null ? undefined : now - spanMs);
  return {
    ...(since === undefined ? {} : { since }),
    ...(part === null ? {} : { until: part.until }),
    ...(pkg === '' ? {} : { package: pkg }),
    ...(tool === '' ? {} : { tool }),
    ...(client === '' ? {} : { client }),
    ...(status === '' ? {} : { statuses: [status] }),
    ...(text === '' ? {} : { text }),
  };
}

function read(query: URLSearchParams): ChosenFilter {
  const span = spans.find(([, ms]) => String(ms ?? 'all') === query.get('span'));
  return {
    ...everything,
    ...(span === undefined ? {} : { spanMs: span[1] }),
    ...Object.fromEntries(texts.map((it) => [it, query.get(it) ?? ''])),
  };
}

function write({ spanMs, ...chosen }: ChosenFilter): URLSearchParams {
  const query = new URLSearchParams();
  if (spanMs !== everything.spanMs) query.set('span', String(spanMs ?? 'all'));
  for (const it of texts) if (chosen[it] !== '') query.set(it, chosen[it]);
  return query;
}
