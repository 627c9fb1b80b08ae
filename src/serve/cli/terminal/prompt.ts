import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { HostError } from '../../../model/host-error.js';

/** Reads one line from the terminal without showing it. */
export async function readSecret(question: string, signal: AbortSignal): Promise<string> {
  // Discards the echo of what is typed.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Asked only now, after the terminal has stopped echoing.
  process.stderr.write(question);
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)));
  prompt.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const typed = prompt.question('', { signal }).catch(() => undefined);
    const answer = await Promise.race([typed, closed]);
    if (answer === undefined) throw new HostError('canceled', 'nothing was entered');
    return answer;
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}

/** Yes or no; no answer counts as no. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `, signal)).trim());
}

/** One line of text; empty if there is no answer. */
export async function ask(question: string, signal: AbortSignal): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once('close', () => resolve('')));
  prompt.once('SIGINT', () => {
    // After the handlers of this process, which may cancel only what is asked about.
    process.once('SIGINT', () => prompt.close());
    process.kill(process.pid, 'SIGINT');
  });
  try {
    return await Promise.race([prompt.question(question, { signal }).catch(() => ''), closed]);
  } finally {
    prompt.close();
  }
}
