import { useSignal } from '@preact/signals';
import { announce } from '../shell/announcement.js';
import { Button } from './button.js';
import { RevealedText } from './revealed-text.js';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for screen readers. */
  readonly what: string;
}

/** Copies a text. A browser that does not allow it, such as over plain http from another machine, says so. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const state = useSignal('Copy');
  const copy = async () => {
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    state.value = isCopied ? 'Copied' : 'Select and copy it';
    announce(isCopied ? `${what}: copied` : `${what}: this browser does not allow copying`);
    setTimeout(() => {
      state.value = 'Copy';
    }, 2500);
  };
  return (
    <Button label={`${state.value}: ${what}`} onClick={copy}>
      {state.value}
    </Button>
  );
}

/** A command to run elsewhere, with a button that copies it. */
export function CommandText({
  text,
  what = 'the command',
}: {
  readonly text: string;
  readonly what?: string;
}) {
  return (
    <div class="command">
      <pre class="value">
        <RevealedText text={text} />
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
