import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ContributionVerdict } from '../../../model/contribution.js';
import { signEnvelope } from './dsse.js';
import { parseStatement, statementBytes, statementPayloadType } from './in-toto.js';
import { readProvenance } from './provenance.js';
import { signVerdict, verdictPredicateType, verifyVerdict } from './verdict-statement.js';

const keys = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const hash = 'a'.repeat(64);
const verdict: ContributionVerdict = {
  rules: 'r/1',
  decision: 'review',
  package: { format: 'patch', id: 'one', version: '1.0.0', tools: ['one'] },
  contentDigest: hash,
  files: 1,
  model: { status: 'not-checked' },
  findings: [],
};
const subject = { name: 'one.tgz', sha256: hash };

test('a verdict is verified with its key, about its archive, with what a person decided', () => {
  const review = { decision: 'approved', reviewer: 'ann', at: '2026-01-01T00:00:00Z' } as const;
  const envelope = signVerdict({ subject, verdict, review }, [keys]);
  const verified = verifyVerdict(envelope, hash, { keys: [keys.publicKey] });
  expect(verified).toMatchObject({ decision: 'review', review: 'approved', predicate: { verdict, review } });
  expect(verifyVerdict(envelope, 'b'.repeat(64), { keys: [keys.publicKey] })).toBeUndefined();
  expect(verifyVerdict(envelope, hash, { keys: [other.publicKey] })).toBeUndefined();
  expect(verifyVerdict(envelope, hash, { keys: [keys.publicKey], threshold: 2 })).toBeUndefined();
});

test('the same verdict has the same bytes, whatever the order of its members', () => {
  const turned = Object.fromEntries(Object.entries(verdict).reverse()) as unknown as ContributionVerdict;
  expect(signVerdict({ subject, verdict: turned }, [keys])).toEqual(
    signVerdict({ subject, verdict }, [keys]),
  );
});

test('a statement of another type by the same key is not a verdict', () => {
  const predicate = { verdict: { decision: 'pass' } };
  const bytes = statementBytes({ subjects: [subject], predicateType: `${verdictPredicateType}x`, predicate });
  const trust = { keys: [keys.publicKey] };
  expect(verifyVerdict(signEnvelope(statementPayloadType, bytes, [keys]), hash, trust)).toBeUndefined();
  const right = statementBytes({ subjects: [subject], predicateType: verdictPredicateType, predicate });
  expect(verifyVerdict(signEnvelope(statementPayloadType, right, [keys]), hash, trust)?.decision).toBe(
    'pass',
  );
});

test('a statement without the SHA-256 of a subject is not one', () => {
  const text =
    '{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"a","digest":{"sha1":"00"}}],"predicateType":"x","predicate":{}}';
  expect(parseStatement(Buffer.from(text))).toBeUndefined();
});

const provenanceOf = (predicateType: string, sha256: string) => {
  const predicate = {
    buildDefinition: { buildType: 'https://build.example/v1' },
    runDetails: { builder: { id: 'https://ci.example' } },
  };
  const bytes = statementBytes({ subjects: [{ name: 'one.tgz', sha256 }], predicateType, predicate });
  return JSON.stringify(signEnvelope(statementPayloadType, bytes, [other]));
};
const slsa = 'https://slsa.dev/provenance/v1';

test('a provenance is accepted for its archive, and says which trusted builder signed it', () => {
  const text = provenanceOf(slsa, hash);
  expect(readProvenance(text, hash)).toMatchObject({
    ok: true,
    provenance: { builder: 'https://ci.example', signers: [] },
  });
  expect(readProvenance(text, hash, [other.publicKey])).toMatchObject({
    ok: true,
    provenance: { signers: [expect.any(String)] },
  });
});

test.each([
  ['about another archive', provenanceOf(slsa, 'c'.repeat(64)), 'it is about another archive'],
  ['of another type', provenanceOf('https://slsa.dev/provenance/v0.2', hash), `it is not ${slsa}`],
  ['that is not an envelope', '{}', 'it is not a signed envelope (DSSE)'],
])('a provenance %s is refused', (_, text, reason) => {
  expect(readProvenance(text, hash)).toEqual({ ok: false, reason });
});

test('a provenance that no trusted builder signed is refused if builders are named', () => {
  expect(readProvenance(provenanceOf(slsa, hash), hash, [keys.publicKey])).toEqual({
    ok: false,
    reason: 'no trusted builder signed it',
  });
});
