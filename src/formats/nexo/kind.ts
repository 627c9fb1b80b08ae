import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';

/** A table whose kind has two spellings: the document's own and the one of most manifests. */
export interface KindField {
  readonly field: string;
  readonly alias: string;
}

export const transportKind: KindField = { field: 'type', alias: 'kind' };
export const serverKind: KindField = { field: 'type', alias: 'transport' };

/** The document's own spelling counts when both are there. */
export function kindOf(table: JsonObject, spelling: KindField): string | undefined {
  const written = Object.hasOwn(table, spelling.field) ? table[spelling.field] : table[spelling.alias];
  return typeof written === 'string' ? written : undefined;
}

export function checkKind(report: Report, table: JsonObject, spelling: KindField, path: JsonPath): void {
  const { field, alias } = spelling;
  if (!Object.hasOwn(table, alias)) return;
  const at = [...path, alias];
  if (!Object.hasOwn(table, field)) {
    const message = `"${alias}" in ${nameOf(path)} is read as "${field}"`;
    report.at('field.alias', at, message, { hint: 'both spellings are understood', spot: 'key' });
  } else if (table[field] !== table[alias]) {
    const message = `${nameOf(path)} has ${field} ${show(table[field])} and ${alias} ${show(table[alias])}`;
    report.at('nexo.transport-conflict', at, message, { hint: `keep "${field}"; remove "${alias}"` });
  }
}

/** Fields that belong to another kind of the same table. */
export function checkForeign(
  report: Report,
  table: JsonObject,
  kind: string,
  fields: Readonly<Record<string, readonly string[]>>,
  path: JsonPath,
): void {
  const own = Object.hasOwn(fields, kind) ? fields[kind] : undefined;
  if (own === undefined) return;
  for (const key of Object.keys(table)) {
    const kinds = Object.keys(fields).filter((it) => fields[it]?.includes(key));
    if (kinds.length === 0 || own.includes(key)) continue;
    const message = `"${key}" has no place in ${nameOf(path)}, whose kind is ${kind}`;
    const hint = `remove it; "${key}" belongs to ${kinds.join(', ')}`;
    report.at('nexo.transport-field', [...path, key], message, { hint, spot: 'key' });
  }
}

/** A member that is an object, or an empty one in its stead. */
export function tableAt(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
