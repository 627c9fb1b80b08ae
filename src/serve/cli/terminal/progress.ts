import type { Terminal } from './terminal.js';

/** Nothing is shown before this time. */
const delayMs = 200;
const updateMs = 1000;

/** Shows a progress line on the terminal while `work` runs, and removes it afterwards. */
export async function withProgress<T>(text: string, terminal: Terminal, work: () => Promise<T>): Promise<T> {
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
    ticking = setInterval(show, updateMs);
  }, delayMs);
  try {
    return await work();
  } finally {
    clearTimeout(waiting);
    clearInterval(ticking);
    if (shown !== '') terminal.err(`\r${' '.repeat(shown.length)}\r`);
  }
}
