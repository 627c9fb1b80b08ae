import type { ChangeProgress } from '../../host/host.js';
import { sizeText } from '../print/size-text.js';
import { visibleLine } from '../print/visible.js';
import { width } from '../print/width.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/** While bytes arrive, a terminal shows this often how many. */
const intervalMs = 200;

/**
 * One line per step. A terminal also shows how many bytes have arrived, in the same line. A pipe or log would fill with
 * that.
 */
export function changeProgress(
  args: Pick<Arguments, 'has'>,
  terminal: Pick<Terminal, 'err' | 'stderrIsTerminal' | 'columns' | 'environment'>,
  now: () => number = () => performance.now(),
): ((progress: ChangeProgress) => void) | undefined {
  if (args.has('quiet')) return undefined;
  const canRewrite = terminal.stderrIsTerminal && terminal.environment.TERM !== 'dumb';
  let step = '';
  let shown = '';
  let shownAt = 0;
  return (progress) => {
    const line = `${progress.step}: ${visibleLine(progress.detail)} …`;
    if (line !== step) {
      step = line;
      show(line);
      return;
    }
    const more = amountOf(progress);
    if (!canRewrite || more === undefined) return;
    // The end is shown if a part was shown before.
    const isEnd = shown !== step && progress.bytes === progress.totalBytes;
    if (!isEnd && now() - shownAt < intervalMs) return;
    const rows = Math.max(1, Math.ceil(width(shown) / terminal.columns));
    terminal.err(`\x1b[${rows}A\x1b[J`);
    show(`${line} ${more}`);
  };

  function show(line: string): void {
    terminal.err(`${line}\n`);
    shown = line;
    shownAt = now();
  }
}

function amountOf({ bytes, totalBytes }: ChangeProgress): string | undefined {
  if (bytes === undefined || bytes === 0) return undefined;
  return totalBytes === undefined ? sizeText(bytes) : `${sizeText(bytes)} of ${sizeText(totalBytes)}`;
}
