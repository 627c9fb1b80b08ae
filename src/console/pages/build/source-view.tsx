import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Diagnostic } from '../../../model/diagnostic.js';

interface SourceViewProps {
  readonly label: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly readOnly?: boolean;
  readonly onChange: (text: string) => void;
}

/** Where the cursor goes when the source is shown next. */
export const sourcePlace = signal<Diagnostic['range'] | null>(null);

/** A text with line numbers. Lines with a finding are marked. */
export function SourceView({ label, text, diagnostics, readOnly = false, onChange }: SourceViewProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split('\n').length;
  const marked = new Map(
    diagnostics.map((it) => [it.range.line, it.severity === 'error' ? 'bad' : 'warning'] as const),
  );
  useEffect(() => {
    const place = sourcePlace.value;
    const element = area.current;
    if (place === null || element === null) return;
    sourcePlace.value = null;
    const start = offsetOf(text, place.line, place.column);
    element.focus({ preventScroll: true });
    element.setSelectionRange(start, Math.max(start + 1, offsetOf(text, place.endLine, place.endColumn)));
    const lineHeight = element.scrollHeight / Math.max(1, lines);
    element.scrollTop = Math.max(0, (place.line - 4) * lineHeight);
    // A long text is taller than the screen.
    const top = element.getBoundingClientRect().top + place.line * lineHeight - element.scrollTop;
    scrollBy(0, top - innerHeight / 2);
  });
  return (
    <div class="source">
      <div class="gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => (
          <span key={index} class={marked.get(index + 1)}>
            {index + 1}
          </span>
        ))}
      </div>
      <textarea
        ref={area}
        aria-label={label}
        value={text}
        readOnly={readOnly}
        rows={Math.min(34, Math.max(8, lines + 1))}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
        onScroll={(event) => {
          if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let count = 1; count < line; count++) {
    const next = text.indexOf('\n', at);
    if (next === -1) break;
    at = next + 1;
  }
  return Math.min(text.length, at + column - 1);
}
