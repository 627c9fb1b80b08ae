import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Left out on a narrow screen. */
  readonly wideOnly?: boolean;
  readonly align?: 'end';
  /** Takes the rest of the width. */
  readonly grows?: boolean;
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
}

/** With more rows, only those in view are in the page, and all rows have the same height. */
const maxPlain = 200;
/** Pixels; as in parts.css. */
const rowHeight = 40;
const extraRows = 12;

/** A table that stays smooth with 100,000 rows. */
export function Table<Row>({ label, columns, rows, keyOf, onOpen }: TableProps<Row>) {
  const isWindowed = rows.length > maxPlain;
  const view = useSignal({ from: 0, to: 60 });
  const frame = useRef<HTMLDivElement>(null);
  const measure = () => {
    const element = frame.current;
    if (element === null || !isWindowed) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - extraRows);
    const to = from + Math.ceil(element.clientHeight / rowHeight) + 2 * extraRows;
    if (from !== view.peek().from || to !== view.peek().to) view.value = { from, to };
  };
  useEffect(measure);
  const from = isWindowed ? Math.min(view.value.from, rows.length) : 0;
  const to = isWindowed ? Math.min(view.value.to, rows.length) : rows.length;
  return (
    <div
      class={`table ${isWindowed ? 'windowed' : ''}`}
      ref={frame}
      onScroll={measure}
      // A part of the page that scrolls must be reachable with the keyboard.
      {...(isWindowed ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map((it) => (
              <th key={it.title} scope="col" class={classOf(it)}>
                {it.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {from > 0 && <Space rows={from} columns={columns.length} />}
          {rows.slice(from, to).map((row, index) => (
            <tr
              key={keyOf(row)}
              aria-rowindex={from + index + 2}
              class={onOpen === undefined ? undefined : 'opens'}
              onClick={(event) => {
                // A link or button inside does its own work.
                if ((event.target as Element).closest('a, button, input') === null) onOpen?.(row);
              }}
            >
              {columns.map((it) => (
                <td key={it.title} class={classOf(it)}>
                  {it.cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {to < rows.length && <Space rows={rows.length - to} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

function Space({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return (
    <tr class="space">
      <td colSpan={columns} style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  );
}

function classOf<Row>({ wideOnly = false, align, grows = false }: Column<Row>): string | undefined {
  const classes = [wideOnly ? 'wide-only' : '', align ?? '', grows ? 'grows' : ''].filter((it) => it !== '');
  return classes.length === 0 ? undefined : classes.join(' ');
}
