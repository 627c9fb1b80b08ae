import { type AuditLine, clientName } from './audit-line.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { clip, pad, width } from './width.js';

export interface AuditLinesOptions {
  readonly style: Style;
  /** Cells of a line. Infinity: nothing is cut. */
  readonly columns: number;
  /** Minutes between UTC and the time to show, at a moment: as `-date.getTimezoneOffset()`. */
  readonly offsetMinutes: (at: Date) => number;
}

const gap = 2;
const timeCells = 8;
/** A column narrower than this says nothing. */
const least = { client: 6, subject: 10, detail: 8 };

/** One line per call, in columns that fit, and a line with the date where the day changes. */
export function printAuditLines(
  lines: readonly AuditLine[],
  { style, columns, offsetMinutes }: AuditLinesOptions,
): string {
  const rows = lines.map((it) => ({
    ...local(it.at, offsetMinutes),
    status: visibleLine(it.status),
    client: visibleLine(clientName(it.principal)) || '-',
    subject: visibleLine(it.subject) || '-',
    detail: visibleLine(it.detail),
    duration: it.durationMs === undefined ? '' : `${Math.round(it.durationMs)} ms`,
  }));
  const widest = (pick: (row: (typeof rows)[number]) => string) =>
    Math.max(0, ...rows.map((it) => width(pick(it))));
  const status = widest((it) => it.status);
  const duration = widest((it) => it.duration);
  const space = columns - timeCells - status - 2 * gap;
  const showsDuration = duration > 0 && space - duration - gap >= least.client + least.subject + gap;
  const cells = columnCells(
    space - (showsDuration ? duration + gap : 0),
    widest((it) => it.client),
    widest((it) => it.subject),
  );
  let day = '';
  let printed = '';
  for (const row of rows) {
    if (row.date !== day) printed += `${style.bold(row.date)}\n`;
    day = row.date;
    const detail = cells.detail < least.detail ? '' : clip(row.detail, cells.detail);
    const parts = [
      row.time,
      colored(style, row.status)(pad(row.status, status)),
      pad(clip(row.client, cells.client), cells.client),
      pad(clip(row.subject, cells.subject), cells.subject),
      detail,
      showsDuration ? row.duration : '',
    ];
    printed += `${parts
      .filter((it) => it !== '')
      .join(' '.repeat(gap))
      .trimEnd()}\n`;
  }
  return printed;
}

/** Gives the details what is left. If that is too little, they are left out, and then names are cut. */
function columnCells(space: number, client: number, subject: number) {
  const detail = space - client - subject - 2 * gap;
  if (detail >= least.detail) return { client, subject, detail };
  const forSubject = Math.min(subject, Math.max(least.subject, space - client - gap));
  const forClient = Math.min(client, Math.max(least.client, space - forSubject - gap));
  return { client: forClient, subject: forSubject, detail: 0 };
}

function local(at: string, offsetMinutes: AuditLinesOptions['offsetMinutes']) {
  const moment = new Date(at);
  const shifted = new Date(moment.getTime() + offsetMinutes(moment) * 60_000).toISOString();
  return { date: shifted.slice(0, 10), time: shifted.slice(11, 19) };
}

function colored(style: Style, status: string): (text: string) => string {
  if (['ok', 'approved'].includes(status)) return style.good;
  if (['held', 'running', 'canceled', 'void'].includes(status)) return style.warning;
  return ['operator', 'read', 'start'].includes(status) ? style.dim : style.error;
}
