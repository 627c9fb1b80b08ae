import { signal } from '@preact/signals';

/** What a screen reader says next. */
export const announcement = signal('');

export function announce(text: string): void {
  // The same text twice is not read again, so it differs by a space.
  announcement.value = announcement.peek() === text ? `${text} ` : text;
}
