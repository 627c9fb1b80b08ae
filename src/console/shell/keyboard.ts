import { signal } from '@preact/signals';
import type { ConsolePage } from '../pages/page.js';
import { navigate } from './route.js';

export const isHelpOpen = signal(false);

type KeyListener = (event: KeyboardEvent) => void;
const listeners: KeyListener[] = [];
let isAfterG = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls `listener` for keys that are not typed into a field. The newest listener gets them. */
export function onKey(listener: KeyListener): () => void {
  listeners.push(listener);
  return () => void listeners.splice(listeners.indexOf(listener), 1);
}

export function listenToKeys(pages: readonly ConsolePage[]): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const page = isAfterG ? pages.find((it) => it.key === event.key) : undefined;
    isAfterG = false;
    clearTimeout(timer);
    if (page !== undefined) navigate(page.path);
    else if (event.key === 'g') {
      isAfterG = true;
      timer = setTimeout(() => {
        isAfterG = false;
      }, 1500);
    } else if (event.key === '?') isHelpOpen.value = true;
    else return listeners.at(-1)?.(event);
    event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}
