import type { Terminal } from './terminal.js';

const patienceMs = 200;
const stepMs = 1000;

/** Says on the terminal that something is under way, once it takes longer than a moment, and wipes it away after. */
export async function whileShowing<T>(text: string, terminal: Terminal, work: () => Promise<T>): Promise<T> {
  if (!terminal.stderrIsTerminal) return work();
  const started = performance.now();
  let shown = '';
  const show = () => {
    const seconds = Math.floor((performance.now() - started) / 1000);
    const line = `${text} …${seconds === 0 ? '' : ` ${seconds} s`}`.slice(0, terminal.columns - 1);
    terminal.err(`\r${line.padEnd(shown.length)}`);
    shown = line;
  };
  let ticking: NodeJS.Timeout | undefined;
  const waiting = setTimeout(() => {
    show();
    ticking = setInterval(show, stepMs);
  }, patienceMs);
  try {
    return await work();
  } finally {
    clearTimeout(waiting);
    clearInterval(ticking);
    if (shown !== '') terminal.err(`\r${' '.repeat(shown.length)}\r`);
  }
}
