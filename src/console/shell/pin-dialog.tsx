import { useSignal } from '@preact/signals';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { sentence } from '../parts/sentence.js';
import { post, readState } from './connection.js';
import { pinRequest } from './pin-request.js';

/** Asks for the PIN. It is then not needed again for 15 minutes. */
export function PinDialog() {
  const pin = useSignal('');
  const problem = useSignal('');
  const request = pinRequest.value;
  if (request === null) return null;
  const close = (isGiven: boolean) => {
    pin.value = '';
    problem.value = '';
    request.answer(isGiven);
  };
  const send = async (event: Event) => {
    event.preventDefault();
    const answer = await post('pin', { pin: pin.value }).catch(() => undefined);
    pin.value = '';
    if (answer?.ok === true) {
      await readState();
      return close(true);
    }
    const body = (await answer?.json().catch(() => undefined)) as
      | { error?: { message: string; hint?: string } }
      | undefined;
    problem.value =
      body?.error === undefined
        ? 'The host does not answer.'
        : sentence([body.error.message, body.error.hint].filter(Boolean).join('; '));
  };
  return (
    <Dialog title="Enter the PIN" onClose={() => close(false)}>
      <form onSubmit={send}>
        <p class="dim">
          This change needs the operator. The PIN is then good for 15 minutes in this browser.
        </p>
        <label>
          PIN
          <input
            type="password"
            autocomplete="off"
            value={pin.value}
            aria-invalid={problem.value !== ''}
            onInput={(event) => {
              pin.value = event.currentTarget.value;
            }}
          />
        </label>
        {problem.value !== '' && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        <div class="actions">
          <Button kind="primary" type="submit" disabled={pin.value === ''}>
            Continue
          </Button>
          <Button onClick={() => close(false)}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
