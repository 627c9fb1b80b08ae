import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangeTopic } from '../../host/host.js';
import { onTopics } from './connection.js';

/** What a page shows, read from the host and kept up to date. */
export interface Live<T> {
  /** Undefined until it was read for the first time. */
  readonly value: T | undefined;
  /** Why it could not be read the last time. */
  readonly error: Error | undefined;
}

/** Reads something now, and again whenever one of the topics changes. The last reading counts. */
export function followLive<T>(
  topics: readonly ChangeTopic[],
  read: () => Promise<T>,
  target: Signal<Live<T>>,
): () => void {
  let newest = 0;
  let isBusy = false;
  let isStale = false;
  const again = async (): Promise<void> => {
    if (isBusy) {
      isStale = true;
      return;
    }
    isBusy = true;
    const mine = ++newest;
    try {
      const value = await read();
      if (mine === newest) target.value = { value, error: undefined };
    } catch (error) {
      if (mine === newest) target.value = { value: target.peek().value, error: error as Error };
    }
    isBusy = false;
    if (isStale) {
      isStale = false;
      await again();
    }
  };
  const stop = onTopics(
    topics,
    () => void again(),
    () => target.peek().error !== undefined,
  );
  return () => {
    newest++;
    stop();
  };
}

/** The same for as long as a component is shown. `key`: what `read` depends on. */
export function useLive<T>(
  topics: readonly ChangeTopic[],
  read: () => Promise<T>,
  key: string = '',
): Live<T> {
  const target = useSignal<Live<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    target.value = { value: undefined, error: undefined };
    return followLive(topics, read, target);
  }, [key]);
  return target.value;
}

/** The same for as long as the page is open. */
export function live<T>(
  topics: readonly ChangeTopic[],
  read: () => Promise<T>,
): Signal<Live<T>> & { start(): void } {
  const target = signal<Live<T>>({ value: undefined, error: undefined });
  let isStarted = false;
  return Object.assign(target, {
    start() {
      if (isStarted) return;
      isStarted = true;
      followLive(topics, read, target);
    },
  });
}
