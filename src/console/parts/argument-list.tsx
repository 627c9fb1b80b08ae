import { RevealedText } from './revealed-text.js';
import { ValueView } from './value-view.js';

/** All arguments in full, one per row. A text is shown without quotes and its type is named. */
export function ArgumentList({ value }: { readonly value: unknown }) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  if (!isObject) return <ValueView value={value} />;
  if (entries.length === 0) return <p class="dim">No arguments.</p>;
  return (
    <dl class="arguments">
      {entries.map(([name, it]) => (
        <div key={name}>
          <dt>
            <RevealedText text={name} />
            <span class="dim"> {typeOf(it)}</span>
          </dt>
          <dd>
            <ValueView value={it} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function typeOf(value: unknown): string {
  if (value === '') return 'empty text';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return (
    { string: 'text', boolean: 'true or false', number: 'number', object: 'object' }[
      typeof value as string
    ] ?? ''
  );
}
