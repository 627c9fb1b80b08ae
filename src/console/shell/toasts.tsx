import { signal } from '@preact/signals';
import { RevealedText } from '../parts/revealed-text.js';
import { sentence } from '../parts/sentence.js';
import { announce, announcement } from './announcement.js';
import { OperationError } from './operations.js';

interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly hint?: string | undefined;
}

const toasts = signal<readonly Toast[]>([]);
let next = 1;

/** Tells the person what was done. It goes away by itself. */
export function tell(text: string): void {
  add({ id: next++, kind: 'done', text }, 5000);
}

/** Tells what failed, in the words of the host. Longer, because it has to be read. */
export function tellFailure(error: unknown): void {
  if (error instanceof OperationError && error.code === 'canceled') return;
  const { message } = error as Error;
  const hint = error instanceof OperationError ? error.hint : undefined;
  add({ id: next++, kind: 'failed', text: sentence(message), hint }, 15_000);
}

/** Runs an operation and tells how it ended. True if it succeeded. */
export async function attempt(work: () => Promise<string | undefined>): Promise<boolean> {
  try {
    const done = await work();
    if (done !== undefined) tell(done);
    return true;
  } catch (error) {
    tellFailure(error);
    return false;
  }
}

function add(toast: Toast, ms: number): void {
  toasts.value = [...toasts.peek().slice(-1), toast];
  announce([toast.text, toast.hint].filter(Boolean).join('. '));
  setTimeout(() => remove(toast.id), ms);
}

function remove(id: number): void {
  toasts.value = toasts.peek().filter((it) => it.id !== id);
}

/** What a screen reader says. It stays in the page, because a new one would not be read. */
export function LiveAnnouncement() {
  return (
    <div class="announcement" role="status" aria-live="polite">
      {announcement.value}
    </div>
  );
}

export function Toasts() {
  return (
    <aside class="toasts" aria-label="Messages">
      {toasts.value.map(({ id, kind, text, hint }) => (
        <div key={id} class={`toast ${kind}`}>
          <p>
            <RevealedText text={text} />
            {hint !== undefined && (
              <span class="hint">
                <RevealedText text={hint} />
              </span>
            )}
          </p>
          <button type="button" class="close" aria-label="Close the message" onClick={() => remove(id)}>
            ×
          </button>
        </div>
      ))}
    </aside>
  );
}
