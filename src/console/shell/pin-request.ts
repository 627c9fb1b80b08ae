import { signal } from '@preact/signals';

/** The question for the PIN that is open now. */
export const pinRequest = signal<{ readonly answer: (isGiven: boolean) => void } | null>(null);

let open: Promise<boolean> | undefined;

/** Shows the question for the PIN. Several operations at once share one question. False: the person canceled. */
export function askForPin(): Promise<boolean> {
  open ??= new Promise<boolean>((resolve) => {
    pinRequest.value = {
      answer: (isGiven) => {
        pinRequest.value = null;
        open = undefined;
        resolve(isGiven);
      },
    };
  });
  return open;
}
