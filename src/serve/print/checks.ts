import type { Check } from '../../host/host.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { pad, width, wrap } from './width.js';

const marks: Record<Check['status'], string> = { ok: '✓', warn: '!', fail: '✗' };
const paints: Record<Check['status'], 'good' | 'warning' | 'error'> = {
  ok: 'good',
  warn: 'warning',
  fail: 'error',
};

/** One line per check, its fix below it, and a summary at the end. */
export function printChecks(
  shown: readonly Check[],
  all: readonly Check[],
  style: Style,
  columns: number,
): string {
  const widest = Math.max(0, ...shown.map((it) => width(it.id)));
  const indent = widest + 4;
  const room = Math.max(20, columns - indent);
  const lines = shown.flatMap((it) => {
    const [first = '', ...rest] = wrap(visibleLine(it.message), room);
    const mark = style[paints[it.status]](marks[it.status]);
    const fix =
      it.fix === undefined || it.status === 'ok'
        ? []
        : wrapFix(visibleLine(it.fix), Math.max(20, columns - 6));
    return [
      `${mark} ${pad(it.id, widest)}  ${first}`.trimEnd(),
      ...rest.map((line) => `${' '.repeat(indent)}${line}`),
      ...fix.map((line, index) => `    ${index === 0 ? '→' : ' '} ${style.bold(line)}`),
    ];
  });
  return `${[...lines, ...(lines.length > 0 ? [''] : []), summary(all, style)].join('\n')}\n`;
}

const command = /^(?:sudo|chmod|toolwharf|systemd-run|nvm|ls) /;

/** Wraps a command so that it can still be copied: lines end with a backslash, and no word is split. */
function wrapFix(text: string, room: number): string[] {
  if (!command.test(text)) return wrap(text, room);
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && width(last) + width(word) + 3 <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

function plural(warnings: number): string {
  return warnings === 1 ? '1 warning' : `${warnings} warnings`;
}

function summary(checks: readonly Check[], style: Style): string {
  const count = (status: Check['status']) => checks.filter((it) => it.status === status).length;
  const [warn, fail] = [count('warn'), count('fail')];
  if (fail > 0) return style.error(`${checks.length} checks: ${fail} failed, ${plural(warn)}`);
  if (warn > 0) return style.warning(`${checks.length} checks: none failed, ${plural(warn)}`);
  return style.good(`${checks.length} checks: all passed`);
}
