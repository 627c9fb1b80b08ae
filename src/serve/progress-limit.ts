import type { ChangeProgress } from '../host/host.js';

/** While bytes of one step arrive, they are reported this often. */
const intervalMs = 200;

/** Passes on every new step, and the bytes of a step only now and then. */
export function limitProgress(
  send: (progress: ChangeProgress) => void,
  now: () => number,
): (progress: ChangeProgress) => void {
  let step = '';
  let sentAt = 0;
  return (progress) => {
    const next = `${progress.step} ${progress.detail}`;
    if (next === step && now() - sentAt < intervalMs) return;
    step = next;
    sentAt = now();
    send(progress);
  };
}
