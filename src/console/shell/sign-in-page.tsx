import { sentence } from '../parts/sentence.js';
import { signOutReason } from './connection.js';

/** What a browser without a sign-in sees. It learns nothing about the host. */
export function SignInPage() {
  const reason = signOutReason.value;
  return (
    <main class="sign-in">
      <h1>Toolwharf console</h1>
      {reason !== '' && <p class="note">{sentence(reason)}</p>}
      <p>To open the console, get a link on the machine where the host runs:</p>
      <pre>toolwharf open</pre>
      <p class="dim">
        The link works once. “toolwharf serve” prints one too. Agents and their tokens cannot open the
        console.
      </p>
    </main>
  );
}
