import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import type { NexoReport } from './codes.js';

/** The two names of a kind field: `field` in the specification, `alias` in most existing manifests. */
export interface KindField {
  readonly field: string;
  readonly alias: string;
}

export const transportKind: KindField = { field: 'type', alias: 'kind' };
export const serverKind: KindField = { field: 'type', alias: 'transport' };

/** The kind of a table. `field` wins when both names are present. */
export function readKind(table: JsonObject, names: KindField): string | undefined {
  const written = Object.hasOwn(table, names.field) ? table[names.field] : table[names.alias];
  return typeof written === 'string' ? written : undefined;
}

export function checkKindField(
  report: NexoReport,
  table: JsonObject,
  names: KindField,
  path: JsonPath,
): void {
  const { field, alias } = names;
  if (!Object.hasOwn(table, alias)) return;
  const at = [...path, alias];
  if (!Object.hasOwn(table, field)) {
    const message = `"${alias}" in ${pathName(path)} is an alias of "${field}"`;
    report.at('field.alias', at, message, { hint: 'both names are accepted', spot: 'key' });
  } else if (table[field] !== table[alias]) {
    const message = `${pathName(path)} has ${field} ${show(table[field])} but ${alias} ${show(table[alias])}`;
    report.at('nexo.transport-conflict', at, message, { hint: `keep "${field}"; remove "${alias}"` });
  }
}

/** Reports fields that belong to another kind of the same table. */
export function checkForeignFields(
  report: NexoReport,
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
    const message = `"${key}" is not allowed in ${pathName(path)} of kind ${kind}`;
    const hint = `remove it; "${key}" belongs to ${kinds.join(', ')}`;
    report.at('nexo.transport-field', [...path, key], message, { hint, spot: 'key' });
  }
}

/** The value if it is an object, else an empty object. */
export function asTable(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
