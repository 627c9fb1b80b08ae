import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangeTopic } from '../../host/host.js';
import { onTopics } from './connection.js';
import type { Live } from './live.js';

/** The host works at most a part of the time for a page: so many times as long as the last reading took, it rests. */
const restPerWork = 8;

/**
 * Like `useLive`, but reads at most once in `everyMs`, and less often if reading takes long: for what is large, or changes
 * with every call. It keeps the old value while `key` changes, so that a page does not flicker.
 */
export function useSlowLive<T>(
  topics: readonly ChangeTopic[],
  read: () => Promise<T>,
  { key = '', everyMs = 1000 }: { readonly key?: string; readonly everyMs?: number } = {},
): Live<T> {
  const target = useSignal<Live<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let isBusy = false;
    let isStale = false;
    let readAt = Number.NEGATIVE_INFINITY;
    let pauseMs = everyMs;
    const now = async (): Promise<void> => {
      timer = undefined;
      isBusy = true;
      isStale = false;
      readAt = performance.now();
      try {
        const value = await read();
        if (!isOver) target.value = { value, error: undefined };
      } catch (error) {
        if (!isOver) target.value = { value: target.peek().value, error: error as Error };
      }
      isBusy = false;
      pauseMs = Math.max(everyMs, (performance.now() - readAt) * restPerWork);
      if (isStale && !isOver) soon();
    };
    const soon = () => {
      isStale = true;
      if (isBusy || timer !== undefined) return;
      // The first change is shown at once; further ones wait.
      timer = setTimeout(() => void now(), Math.max(0, readAt + pauseMs - performance.now()));
    };
    const stop = onTopics(topics, soon, () => target.peek().error !== undefined);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [key]);
  return target.value;
}
