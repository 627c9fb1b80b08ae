import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ActivitySummary } from '../../../model/activity.js';
import { countText, spanText } from '../../parts/amount-text.js';
import { choose } from './activity-filter.js';
import { axisMarks, timeMark } from './chart-scale.js';
import { type OutcomeGroup, outcomeGroupOf, outcomeGroups, outcomeTitles } from './outcome-group.js';

const height = 190;
const margin = { top: 8, right: 4, bottom: 22, left: 38 };
const plotHeight = height - margin.top - margin.bottom;

interface Bar {
  readonly at: number;
  readonly total: number;
  readonly counts: Readonly<Record<OutcomeGroup, number>>;
}

/**
 * Calls over time, stacked by outcome. Drawn here and not with a library: bars of one height each need about a hundred lines,
 * follow the colors of the page, and can be chosen with the mouse and the keyboard.
 */
export function CallsChart({ summary }: { readonly summary: ActivitySummary }) {
  const { from, to, bucketMs, buckets } = summary;
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(640);
  const chosen = useSignal<number | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) width.value = Math.max(240, Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const bars = buckets.map(barOf);
  // Per minute where a bar is longer than one.
  const perMinute = bucketMs / 60_000;
  const marks = axisMarks(Math.max(...bars.map((it) => it.total)) / perMinute, 4);
  const top = (marks.at(-1) ?? 1) * perMinute;
  const plotWidth = width.value - margin.left - margin.right;
  const step = plotWidth / Math.max(1, bars.length);
  const y = (count: number) => margin.top + plotHeight * (1 - count / top);
  const bar = chosen.value === null ? undefined : bars[chosen.value];
  const readout =
    bar === undefined
      ? `${countText(summary.total, 'call')} in ${spanText(to - from)}; one bar is ${spanText(bucketMs)}`
      : [
          `${timeMark(bar.at, to - from)}, ${spanText(bucketMs)}: ${countText(bar.total, 'call')}`,
          ...outcomeGroups.flatMap((it) =>
            bar.counts[it] === 0 ? [] : [`${bar.counts[it]} ${outcomeTitles[it]}`],
          ),
        ].join(', ');
  const zoom = (index: number) => {
    const at = bars[index]?.at;
    if (at !== undefined) choose({ part: { since: at, until: at + bucketMs - 1 } });
  };
  const indexAt = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const index = Math.floor((event.clientX - box.left - margin.left) / step);
    return index >= 0 && index < bars.length ? index : null;
  };
  const ticks = Math.max(2, Math.min(6, Math.floor(plotWidth / 110)));
  return (
    <div class="chart" ref={frame}>
      <p class="readout dim">{readout}</p>
      <div
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label="Calls per minute by outcome: the arrow keys choose a bar, Enter shows only its calls"
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={chosen.value ?? bars.length - 1}
        aria-valuetext={readout}
        onMouseMove={(event) => {
          chosen.value = indexAt(event);
        }}
        onMouseLeave={() => {
          chosen.value = null;
        }}
        onClick={(event) => {
          const index = indexAt(event);
          if (index !== null) zoom(index);
        }}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (by !== undefined)
            chosen.value = Math.min(
              bars.length - 1,
              Math.max(0, (chosen.value ?? (by > 0 ? -1 : bars.length)) + by),
            );
          else if (event.key === 'Enter' && chosen.value !== null) zoom(chosen.value);
          else return;
          event.preventDefault();
        }}
      >
        <svg width={width.value} height={height} viewBox={`0 0 ${width.value} ${height}`} aria-hidden="true">
          {marks.map((it) => (
            <g key={it} class="mark">
              <line
                x1={margin.left}
                x2={width.value - margin.right}
                y1={y(it * perMinute)}
                y2={y(it * perMinute)}
              />
              <text x={margin.left - 7} y={y(it * perMinute) + 4} text-anchor="end">
                {it.toLocaleString('en')}
              </text>
            </g>
          ))}
          {Array.from({ length: ticks }, (_, index) => {
            const at = from + ((to - from) * index) / (ticks - 1);
            const x = margin.left + (plotWidth * index) / (ticks - 1);
            const anchor = index === 0 ? 'start' : index === ticks - 1 ? 'end' : 'middle';
            return (
              <text key={index} class="tick" x={x} y={height - 6} text-anchor={anchor}>
                {timeMark(at, to - from)}
              </text>
            );
          })}
          {bars.map(({ at, counts, total }, index) => {
            if (total === 0) return null;
            let below = 0;
            return (
              <g key={at} class={index === chosen.value ? 'bar chosen' : 'bar'}>
                {outcomeGroups.map((it) => {
                  const count = counts[it];
                  if (count === 0) return null;
                  below += count;
                  const size = Math.max(1, (plotHeight * count) / top);
                  return (
                    <rect
                      key={it}
                      class={it}
                      x={margin.left + index * step + (step > 4 ? 1 : 0)}
                      width={Math.max(1, step - (step > 4 ? 2 : 0))}
                      y={y(below)}
                      height={size}
                    />
                  );
                })}
              </g>
            );
          })}
        </svg>
      </div>
      <ul class="legend" aria-label="Colors">
        {outcomeGroups.map((it) => (
          <li key={it}>
            <span class={`swatch ${it}`} aria-hidden="true" />
            {outcomeTitles[it]}
          </li>
        ))}
        <li class="dim">calls per minute</li>
      </ul>
    </div>
  );
}

function barOf({ at, counts }: ActivitySummary['buckets'][number]): Bar {
  const grouped: Record<OutcomeGroup, number> = { ok: 0, held: 0, refused: 0, failed: 0, other: 0 };
  let total = 0;
  for (const [status, count] of Object.entries(counts)) {
    grouped[outcomeGroupOf(status)] += count;
    total += count;
  }
  return { at, total, counts: grouped };
}
