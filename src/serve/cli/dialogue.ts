import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { HostError } from '../../model/host-error.js';

/** Reads one line from the terminal without showing it. */
export async function readSecret(question: string, signal: AbortSignal): Promise<string> {
  // The dialogue would show what is typed; nothing of it gets through.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const dialogue = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Only now: the terminal must have stopped showing what is typed before anybody is asked to type.
  process.stderr.write(question);
  const left = new Promise<undefined>((resolve) => dialogue.once('close', () => resolve(undefined)));
  dialogue.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const typed = dialogue.question('', { signal }).catch(() => undefined);
    const answer = await Promise.race([typed, left]);
    if (answer === undefined) throw new HostError('canceled', 'nothing was entered');
    return answer;
  } finally {
    dialogue.close();
    process.stderr.write('\n');
  }
}

/** No answer, for whatever reason, is a no. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(`${question} [y/N] `, signal)).trim());
}

/** One line; no answer, for whatever reason, is empty. */
export async function ask(question: string, signal: AbortSignal): Promise<string> {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  const left = new Promise<string>((resolve) => dialogue.once('close', () => resolve('')));
  dialogue.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await Promise.race([dialogue.question(question, { signal }).catch(() => ''), left]);
  } finally {
    dialogue.close();
  }
}
