import type { Tone } from './status.js';

interface MeterBarProps {
  readonly value: number;
  readonly max: number;
  /** For screen readers; the page shows the numbers beside it. */
  readonly label: string;
  readonly tone?: Tone;
}

/** How much of something is used. */
export function MeterBar({ value, max, label, tone = 'neutral' }: MeterBarProps) {
  const share = max <= 0 ? 0 : Math.min(1, Math.max(0, value / max));
  return (
    <div class={`meter ${tone}`} role="img" aria-label={label}>
      <div style={{ width: `${share * 100}%` }} />
    </div>
  );
}
