import { canonicalJson, isObject, type Json, type JsonObject } from '../../../model/json.js';
import { type JsonLimits, tryParseBounded } from '../../../model/json-bounds.js';

export const statementPayloadType = 'application/vnd.in-toto+json';
const statementType = 'https://in-toto.io/Statement/v1';
const limits: JsonLimits = { bytes: 16 * 1024 * 1024, depth: 64, values: 500_000 };

/** What a statement is about: a file by its name and hash. */
export interface StatementSubject {
  readonly name: string;
  /** SHA-256 in hex. */
  readonly sha256: string;
}

/** A statement of in-toto about some files. */
export interface Statement {
  readonly subjects: readonly StatementSubject[];
  readonly predicateType: string;
  readonly predicate: JsonObject;
}

/** The bytes of a statement: canonical JSON, so that the same statement has the same bytes. */
export function statementBytes({ subjects, predicateType, predicate }: Statement): Buffer {
  const subject = subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } }));
  return Buffer.from(canonicalJson({ _type: statementType, subject, predicateType, predicate }), 'utf8');
}

/** Undefined if it is not a statement with the SHA-256 of each subject. */
export function parseStatement(payload: Uint8Array): Statement | undefined {
  const value = tryParseBounded(Buffer.from(payload).toString('utf8'), limits);
  if (!isObject(value) || value._type !== statementType) return undefined;
  const { subject, predicateType, predicate } = value;
  if (!Array.isArray(subject) || subject.length === 0) return undefined;
  if (typeof predicateType !== 'string' || !isObject(predicate)) return undefined;
  const subjects = subject.map(readSubject);
  if (subjects.some((it) => it === undefined)) return undefined;
  return { subjects: subjects as StatementSubject[], predicateType, predicate };
}

function readSubject(value: Json): StatementSubject | undefined {
  if (!isObject(value) || typeof value.name !== 'string' || !isObject(value.digest)) return undefined;
  const { sha256 } = value.digest;
  return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
    ? { name: value.name, sha256 }
    : undefined;
}
