import type { Json, JsonObject } from '../../../model/json.js';
import { isObject } from '../../../model/json.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { type Column, Table } from '../../parts/table.js';
import { LinkedText } from './json-tree.js';

const maxColumns = 12;
const maxCell = 200;
/** Rows whose members decide what the columns are. */
const sample = 200;

interface NumberedRow {
  readonly index: number;
  readonly row: JsonObject;
}

/** The rows of a value that is a list of flat objects; undefined for everything else. */
export function rowsOf(value: Json): readonly JsonObject[] | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const isFlat = (it: Json) =>
    isObject(it) && Object.values(it).every((member) => typeof member !== 'object' || member === null);
  if (!value.every(isFlat)) return undefined;
  const count = namesOf(value as JsonObject[]).length;
  return count > 0 && count <= maxColumns ? (value as JsonObject[]) : undefined;
}

function namesOf(rows: readonly JsonObject[]): readonly string[] {
  return [...new Set(rows.slice(0, sample).flatMap((it) => Object.keys(it)))];
}

/** What scrolls sideways must be reachable with the keyboard. */
const scrolling = { tabIndex: 0, role: 'region', 'aria-label': 'Rows of the answer' } as const;

export function AnswerTable({ rows }: { readonly rows: readonly JsonObject[] }) {
  const columns = namesOf(rows).map(
    (name): Column<NumberedRow> => ({
      title: name,
      ...(rows.slice(0, sample).every((it) => typeof it[name] === 'number') ? { align: 'end' } : {}),
      cell: ({ row }) => <Cell value={Object.hasOwn(row, name) ? row[name] : undefined} />,
    }),
  );
  return (
    <div class="answer-table" {...scrolling}>
      <Table
        label={`${rows.length} rows`}
        columns={columns}
        rows={rows.map((row, index) => ({ row, index }))}
        keyOf={(it) => String(it.index)}
      />
    </div>
  );
}

function Cell({ value }: { readonly value: Json | undefined }) {
  if (value === undefined) return null;
  if (typeof value !== 'string') return <>{JSON.stringify(value)}</>;
  return value.length > maxCell ? (
    <RevealedText text={`${value.slice(0, maxCell)}…`} />
  ) : (
    <LinkedText text={value} />
  );
}
