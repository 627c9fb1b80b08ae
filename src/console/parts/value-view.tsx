import { useSignal } from '@preact/signals';
import { RevealedText } from './revealed-text.js';

/** A longer value is folded. It is complete when it is opened. */
const maxOpen = { characters: 600, lines: 12 };
/** Characters of a folded value that stay visible. */
const preview = 160;

/** One value in full: text as it is, anything else as JSON. Long values are folded. */
export function ValueView({ value }: { readonly value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return <LongText text={text ?? 'undefined'} />;
}

/** Text that may be long. */
export function LongText({ text }: { readonly text: string }) {
  const isOpen = useSignal(false);
  const lines = text.split('\n').length;
  if (text.length <= maxOpen.characters && lines <= maxOpen.lines)
    return (
      <pre class="value">
        <RevealedText text={text} />
      </pre>
    );
  const size = `${text.length.toLocaleString('en')} characters, ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}`;
  return (
    <div class="folded">
      <pre class="value">
        <RevealedText
          text={isOpen.value ? text : `${[...text.slice(0, preview * 2)].slice(0, preview).join('')}…`}
        />
      </pre>
      <button
        type="button"
        class="text"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {isOpen.value ? 'Fold' : `Show all (${size})`}
      </button>
    </div>
  );
}
