import type { KeyObject } from 'node:crypto';
import { isObject, valueAt } from '../../../model/json.js';
import { type DsseEnvelope, openEnvelope, parseEnvelope } from './dsse.js';
import { parseStatement, statementPayloadType } from './in-toto.js';

const provenanceType = 'https://slsa.dev/provenance/v1';

/** Who built an archive and from what, as its builder says. */
export interface BuildProvenance {
  readonly envelope: DsseEnvelope;
  readonly builder: string;
  readonly buildType: string;
  /** Keys that signed it, of those that are trusted for it. Empty: it is stored as a claim that nobody verified. */
  readonly signers: readonly string[];
}

/** A provenance, or why it is not one of this archive. */
export type ProvenanceResult =
  | { readonly ok: true; readonly provenance: BuildProvenance }
  | { readonly ok: false; readonly reason: string };

/** Reads a SLSA v1 provenance that a publisher gives with an archive. `keys`: trusted builders; if given, one must have signed. */
export function readProvenance(
  text: string,
  sha256: string,
  keys: readonly KeyObject[] = [],
): ProvenanceResult {
  const no = (reason: string): ProvenanceResult => ({ ok: false, reason });
  const envelope = parseEnvelope(text.trim());
  if (envelope === undefined) return no('it is not a signed envelope (DSSE)');
  if (envelope.payloadType !== statementPayloadType) return no(`its payload is not ${statementPayloadType}`);
  const opened =
    keys.length === 0 ? undefined : openEnvelope(envelope, { keys, payloadType: statementPayloadType });
  if (keys.length > 0 && opened === undefined) return no('no trusted builder signed it');
  const statement = parseStatement(opened?.payload ?? Buffer.from(envelope.payload, 'base64'));
  if (statement === undefined) return no('its payload is not an in-toto statement');
  if (statement.predicateType !== provenanceType) return no(`it is not ${provenanceType}`);
  if (!statement.subjects.some((it) => it.sha256 === sha256)) return no('it is about another archive');
  const { predicate } = statement;
  const buildType = valueAt(predicate, ['buildDefinition', 'buildType']);
  const builder = valueAt(predicate, ['runDetails', 'builder', 'id']);
  if (typeof buildType !== 'string' || typeof builder !== 'string' || !isObject(predicate.buildDefinition))
    return no('it names no builder or no kind of build');
  return { ok: true, provenance: { envelope, builder, buildType, signers: opened?.signers ?? [] } };
}
