import { useSignal } from '@preact/signals';
import type { Json } from '../../../model/json.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { LongText } from '../../parts/value-view.js';

/** Members of one value that are in the page at first, and more with each step. */
const step = 100;
/** Values with fewer members are open at first. */
const smallCount = 25;
const longText = 300;

/** Any value as a tree that can be folded. However large it is, only what is open is in the page. */
export function JsonTree({ value }: { readonly value: Json }) {
  return (
    <div class="json-tree">
      <TreeNode name={undefined} value={value} depth={0} />
    </div>
  );
}

interface TreeNodeProps {
  readonly name: string | undefined;
  readonly value: Json;
  readonly depth: number;
}

function TreeNode({ name, value, depth }: TreeNodeProps) {
  const isContainer = typeof value === 'object' && value !== null;
  const entries = isContainer ? Object.entries(value) : [];
  const isOpen = useSignal(depth === 0 || (depth < 3 && entries.length <= smallCount));
  const shown = useSignal(step);
  const label = name !== undefined && (
    <span class="name">
      <RevealedText text={name} />:{' '}
    </span>
  );
  if (!isContainer || entries.length === 0)
    return (
      <div class="leaf">
        {label}
        <Scalar value={value} />
      </div>
    );
  const count = entries.length.toLocaleString('en');
  const summary = Array.isArray(value)
    ? `${count} ${entries.length === 1 ? 'item' : 'items'}`
    : `${count} ${entries.length === 1 ? 'member' : 'members'}`;
  return (
    <div>
      <button
        type="button"
        class="fold"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <span aria-hidden="true">{isOpen.value ? '▾' : '▸'}</span> {label}
        <span class="dim">{summary}</span>
      </button>
      {isOpen.value && (
        <ul>
          {entries.slice(0, shown.value).map(([key, it]) => (
            <li key={key}>
              <TreeNode name={key} value={it} depth={depth + 1} />
            </li>
          ))}
          {entries.length > shown.value && (
            <li>
              <button
                type="button"
                class="text"
                onClick={() => {
                  shown.value += step;
                }}
              >
                Show {Math.min(step, entries.length - shown.value)} more of {count}
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function Scalar({ value }: { readonly value: Json }) {
  if (typeof value !== 'string') return <span class={`scalar ${typeof value}`}>{JSON.stringify(value)}</span>;
  if (value === '') return <span class="dim">empty text</span>;
  if (value.length > longText || value.includes('\n')) return <LongText text={value} />;
  return (
    <span class="scalar string">
      <LinkedText text={value} />
    </span>
  );
}

/** A text that is a web address as a whole is a link, which shows exactly that address. */
export function LinkedText({ text }: { readonly text: string }) {
  if (!/^https?:\/\/[^\s]+$/i.test(text) || !URL.canParse(text)) return <RevealedText text={text} />;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer nofollow">
      <RevealedText text={text} />
    </a>
  );
}
