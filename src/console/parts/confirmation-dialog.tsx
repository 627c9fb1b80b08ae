import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

interface Question {
  readonly title: string;
  readonly text: ComponentChildren;
  /** What the button says, such as `Stop`. */
  readonly yes: string;
  readonly danger?: boolean;
}

const open = signal<(Question & { readonly answer: (isYes: boolean) => void }) | null>(null);

/** Asks before something that is hard to undo. */
export function confirmWith(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    open.value = {
      ...question,
      answer: (isYes) => {
        open.value = null;
        resolve(isYes);
      },
    };
  });
}

export function ConfirmationDialog() {
  const question = open.value;
  if (question === null) return null;
  const { title, text, yes, danger = false, answer } = question;
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <div class="prose">{text}</div>
      <div class="actions">
        <Button kind={danger ? 'danger' : 'primary'} onClick={() => answer(true)}>
          {yes}
        </Button>
        <Button onClick={() => answer(false)}>Cancel</Button>
      </div>
    </Dialog>
  );
}
