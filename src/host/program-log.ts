import type { CallScan } from './scanner.js';

/** Passes on what a program prints, line after line, without secrets. A line that cannot be looked at is not passed on. */
export function programLog(
  scan: () => Promise<CallScan>,
  write: ((line: string) => void) | null,
): (line: string) => void {
  if (write === null) return () => {};
  let last: Promise<void> = Promise.resolve();
  const pass = async (line: string) => write((await scan()).cleanWords(line));
  return (line) => {
    last = last.then(() => pass(line)).catch(() => write('(a line that could not be checked was left out)'));
  };
}
