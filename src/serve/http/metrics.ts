import type { Answer } from '../../host/host.js';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface Gauge {
  readonly name: string;
  readonly help: string;
  /** One number, or one number per label value. */
  readonly value: number | { readonly label: string; readonly values: Readonly<Record<string, number>> };
}

/** Counters since the start, in the Prometheus text format. They contain no names of tools, callers or values. */
export class Metrics {
  readonly #calls = new Map<string, number>();
  readonly #requests = new Map<number, number>();
  readonly #bucketCounts = buckets.map(() => 0);
  #seconds = 0;
  #answers = 0;
  #held = 0;

  countCall(answer: Answer): void {
    this.#calls.set(answer.status, (this.#calls.get(answer.status) ?? 0) + 1);
    if (answer.status === 'confirmation_required') this.#held++;
    const seconds = answer.durationMs / 1000;
    this.#answers++;
    this.#seconds += seconds;
    const bucket = buckets.findIndex((it) => seconds <= it);
    if (bucket !== -1) this.#bucketCounts[bucket] = (this.#bucketCounts[bucket] as number) + 1;
  }

  countRequest(status: number): void {
    this.#requests.set(status, (this.#requests.get(status) ?? 0) + 1);
  }

  text(gauges: readonly Gauge[]): string {
    const lines = [
      ...head('toolwharf_calls_total', 'counter', 'Tool calls by status.'),
      ...sorted(this.#calls).map(([status, n]) => `toolwharf_calls_total{status="${status}"} ${n}`),
      ...head('toolwharf_holds_total', 'counter', 'Calls held for approval.'),
      `toolwharf_holds_total ${this.#held}`,
      ...head('toolwharf_call_duration_seconds', 'histogram', 'Duration of tool calls.'),
      ...this.#histogram(),
      ...head('toolwharf_http_requests_total', 'counter', 'HTTP requests by status code.'),
      ...sorted(this.#requests).map(
        ([status, n]) => `toolwharf_http_requests_total{status="${status}"} ${n}`,
      ),
      ...gauges.flatMap((it) => [...head(it.name, 'gauge', it.help), ...samples(it)]),
    ];
    return `${lines.join('\n')}\n`;
  }

  #histogram(): string[] {
    const name = 'toolwharf_call_duration_seconds';
    let below = 0;
    return [
      ...buckets.map((bound, index) => {
        below += this.#bucketCounts[index] as number;
        return `${name}_bucket{le="${bound}"} ${below}`;
      }),
      `${name}_bucket{le="+Inf"} ${this.#answers}`,
      `${name}_sum ${this.#seconds}`,
      `${name}_count ${this.#answers}`,
    ];
  }
}

function samples({ name, value }: Gauge): string[] {
  if (typeof value === 'number') return [`${name} ${value}`];
  return Object.entries(value.values).map(([kind, n]) => `${name}{${value.label}="${kind}"} ${n}`);
}

function head(name: string, type: string, text: string): string[] {
  return [`# HELP ${name} ${text}`, `# TYPE ${name} ${type}`];
}

function sorted<K extends string | number>(counts: ReadonlyMap<K, number>): [K, number][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
