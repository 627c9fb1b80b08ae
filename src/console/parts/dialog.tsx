import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { LiveAnnouncement, Toasts } from '../shell/toasts.js';
import { openDialogs } from './open-dialogs.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** For content with two columns. */
  readonly wide?: boolean;
}

/** A modal dialog: the rest of the page cannot be reached until it is closed; then the focus is where it was. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const own = useMemo(() => Symbol(), []);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    openDialogs.value = [...openDialogs.peek(), own];
    return () => {
      openDialogs.value = openDialogs.peek().filter((it) => it !== own);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="close" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      <div class="body">{children}</div>
      {openDialogs.value.at(-1) === own && <Toasts />}
      <LiveAnnouncement />
    </dialog>
  );
}
