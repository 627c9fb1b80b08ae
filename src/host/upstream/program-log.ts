import type { CallScan } from '../call/secret-scanner.js';

/**
 * Writes the output of a program line by line, in order and without secrets. A line that cannot be scanned is left
 * out.
 */
export function programLog(
  scan: () => Promise<CallScan>,
  write: ((line: string) => void) | null,
): (line: string) => void {
  if (write === null) return () => {};
  let last: Promise<void> = Promise.resolve();
  const writeClean = async (line: string) => write((await scan()).cleanShortText(line));
  return (line) => {
    last = last
      .then(() => writeClean(line))
      .catch(() => write('(one line was left out: it could not be scanned for secrets)'));
  };
}
