import { signal } from '@preact/signals';

/** The dialogs that are open, the newest last. The rest of the page cannot be reached, so messages are shown in the last one. */
export const openDialogs = signal<readonly symbol[]>([]);
