import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openCheckpoint, openNote } from '../../test/support/tlog-verifier.js';
import { isCheckpointOf, parseCheckpoint, signCheckpoint } from './checkpoint.js';
import {
  isSignedBy,
  type NoteKey,
  parseSignedNote,
  parseVerifierKey,
  signNote,
  verifierKeyText,
} from './signed-note.js';

/** The example in the documentation of Go's implementation of signed notes. */
const known = {
  verifierKey: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  text: "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n",
  signature:
    '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
};
const note = `${known.text}\n${known.signature}`;
const key = parseVerifierKey(known.verifierKey) as NoteKey;
const parsed = (text: string) => {
  const it = parseSignedNote(text);
  return it !== undefined && isSignedBy(it, key);
};

/** The example in c2sp.org/tlog-checkpoint. */
const exampleCheckpoint = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;

describe('the known note', () => {
  test('is accepted, and its key keeps its text form and id', () => {
    expect(parsed(note)).toBe(true);
    expect(parseSignedNote(note)?.text).toBe(known.text);
    expect(verifierKeyText(key)).toBe(known.verifierKey);
  });

  test('is signed by us with the same bytes', () => {
    // The private key of the example: 32 bytes of seed.
    const seed = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    expect(signNote(known.text, 'PeterNeumann', privateKey)).toBe(note);
  });

  test('is accepted with further signatures of keys that we do not know', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const [, other] = signNote(known.text, 'witness.example/w1', privateKey).split('\n\n');
    expect(parsed(`${note}${other}`)).toBe(true);
    expect(parsed(`${known.text}\n${other}${known.signature}`)).toBe(true);
    expect(parsed(`${known.text}\n${other}`)).toBe(false);
  });
});

test.each([
  ['a changed text', note.replace('answer', 'Answer')],
  ['another name', note.replace('— PeterNeumann', '— PeterNewmann')],
  ['a changed signature', note.replace('ZJkuBS9UG', 'ZJkuBS9UH')],
  ['a wrong second signature of the same key', `${note}${known.signature.replace('ZJkuBS9UG', 'ZJkuBS9UH')}`],
  ['no empty line', `${known.text}${known.signature}`],
  ['no newline at the end', note.trimEnd()],
  ['a hyphen instead of a dash', note.replace('— ', '- ')],
  ['a control character', note.replace('answer', 'answer\r')],
  ['base64 that is not canonical', note.replace('BwJnAM=', 'BwJnAN=')],
  ['no signature', `${known.text}\n`],
  ['nothing', ''],
])('a note with %s is rejected', (_, text) => expect(parsed(text)).toBe(false));

test.each([
  'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10',
  'PeterNeumann+c74f20a3+AhpcZQcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  'Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  '',
])('%j is not a verifier key', (text) => expect(parseVerifierKey(text)).toBeUndefined());

describe('checkpoints', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const root = Buffer.alloc(32, 7).toString('base64');
  const signed = signCheckpoint({ origin: 'toolwharf/audit/ab', size: 12, root }, privateKey);
  const publicKey = createPublicKey(privateKey);

  test('the example of the specification can be read', () => {
    expect(parseCheckpoint(exampleCheckpoint)).toMatchObject({
      origin: 'example.com/behind-the-sofa',
      size: 20852163,
      root: 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
    });
  });

  test('an independent verifier accepts ours', () => {
    const verifierKey = verifierKeyText({ name: 'toolwharf/audit/ab', publicKey });
    expect(openNote(signed.note, verifierKey)).toBe(`toolwharf/audit/ab\n12\n${root}\n`);
    expect(openCheckpoint(signed.note, verifierKey)).toEqual({
      origin: 'toolwharf/audit/ab',
      size: 12,
      root: Buffer.alloc(32, 7),
    });
    expect(parseCheckpoint(signed.note)).toEqual(signed);
    expect(isCheckpointOf(signed, publicKey)).toBe(true);
    expect(isCheckpointOf(signed, generateKeyPairSync('ed25519').publicKey)).toBe(false);
  });

  test.each([
    ['a size with a leading zero', '\n12\n', '\n012\n'],
    ['a size that is too large', '\n12\n', '\n99999999999999999\n'],
    ['a size that is not a number', '\n12\n', '\nx\n'],
    ['a root that is too short', root, 'AAAA'],
    ['no root', `${root}\n`, ''],
  ])('a checkpoint with %s is rejected', (_, from, to) =>
    expect(parseCheckpoint(signed.note.replace(from, to))).toBeUndefined(),
  );
});
