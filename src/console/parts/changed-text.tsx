import { useSignal } from '@preact/signals';
import { RevealedText } from './revealed-text.js';
import type { TextPart } from './text-difference.js';

/** Characters. Longer parts are folded, and complete when the text is opened. */
const maxOpen = { same: 400, changed: 2000 };
/** Characters that stay visible at the ends of a part that did not change, and at the beginning of one that did. */
const shown = { same: 120, changed: 1000 };

interface ChangedTextProps {
  readonly parts: readonly TextPart[];
  /** What the marks mean: words that were removed, or that are new. */
  readonly side: 'before' | 'after';
}

/** One version of a text, with what differs from the other one. */
export function ChangedText({ parts, side }: ChangedTextProps) {
  const isOpen = useSignal(false);
  const isLong = parts.some((it) => it.text.length > (it.isChanged ? maxOpen.changed : maxOpen.same));
  const size = parts.reduce((sum, it) => sum + it.text.length, 0);
  const Mark = side === 'before' ? 'del' : 'ins';
  return (
    <div class="folded">
      <pre class="value">
        {parts.map((it, at) => {
          const text = isOpen.value ? it.text : folded(it, at === 0, at === parts.length - 1);
          return it.isChanged ? (
            <Mark key={at}>
              <RevealedText text={text} />
            </Mark>
          ) : (
            <RevealedText key={at} text={text} />
          );
        })}
      </pre>
      {isLong && (
        <button
          type="button"
          class="text"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? 'Fold' : `Show all (${size.toLocaleString('en')} characters)`}
        </button>
      )}
    </div>
  );
}

/** The words beside a change stay, so that it can be understood. */
function folded({ text, isChanged }: TextPart, isFirst: boolean, isLast: boolean): string {
  if (text.length <= (isChanged ? maxOpen.changed : maxOpen.same)) return text;
  if (isChanged) return `${whole(text.slice(0, shown.changed))}…`;
  const before = isFirst ? '' : whole(text.slice(0, shown.same));
  const after = isLast ? '' : text.slice(-shown.same).replace(/^[\uDC00-\uDFFF]/, '');
  return isFirst && isLast ? `${whole(text.slice(0, shown.same))}…` : `${before} … ${after}`;
}

/** Without half a character at its end. */
function whole(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '');
}
