// A registry shows a head of its log that too few witnesses saw.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { openLogHead } from '../../../src/registry/log/log-head.js';
import { signCheckpoint } from '../../../src/store/checkpoint.js';
import { signNote, verifierKeyText } from '../../../src/store/signed-note.js';
import { newWitness } from '../../support/witness.js';

const origin = 'log.example';
const log = generateKeyPairSync('ed25519');
const logKey = verifierKeyText({ name: origin, publicKey: log.publicKey });
const head = { origin, size: 3, root: Buffer.alloc(32, 7).toString('base64') };
const { note } = signCheckpoint(head, log.privateKey);
const [first, second] = [newWitness('witness.example/a'), newWitness('witness.example/b')];
const witnesses = { keys: [first.key, second.key], threshold: 2 };

test('control: a head with the signatures of enough witnesses is accepted, also with one of a stranger', () => {
  const signed = newWitness('stranger.example').cosign(second.cosign(first.cosign(note)));
  expect(openLogHead(signed, { logKey, witnesses })).toMatchObject({ size: 3 });
  expect(openLogHead(note, { logKey, witnesses: { ...witnesses, threshold: 0 } })).toMatchObject({ size: 3 });
});

test('a head with too few witnesses, or one witness several times, is rejected', () => {
  for (const signed of [note, first.cosign(note), first.cosign(first.cosign(note))])
    expect(() => openLogHead(signed, { logKey, witnesses })).toThrow(/and needs 2/);
  const twice = { keys: [first.key, first.key], threshold: 2 };
  expect(() => openLogHead(first.cosign(note), { logKey, witnesses: twice })).toThrow(/of 1 witnesses/);
});

test('a signature for another head, with another time, or of another kind is not one of a witness', () => {
  const other = `${origin}\n4\n${head.root}\n`;
  const wrongHead = second.cosign(first.cosign(note, other));
  const seen = second.cosign(first.cosign(note));
  const lines = seen.split('\n');
  const at = lines.findIndex((it) => it.includes('witness.example/a'));
  const [dash, name, encoded = ''] = (lines[at] ?? '').split(' ');
  const bytes = Buffer.from(encoded, 'base64');
  bytes[11] = (bytes[11] ?? 0) ^ 1;
  const wrongTime = lines.with(at, [dash, name, bytes.toString('base64')].join(' ')).join('\n');
  for (const signed of [wrongHead, wrongTime])
    expect(() => openLogHead(signed, { logKey, witnesses })).toThrow(/of 1 witnesses, and needs 2/);

  // The key of the log itself, or any ordinary key of a note, cannot be named as a witness.
  const plain = generateKeyPairSync('ed25519').privateKey;
  const key = verifierKeyText({ name: 'plain.example', publicKey: createPublicKey(plain) });
  const [, line = ''] = signNote(`${origin}\n3\n${head.root}\n`, 'plain.example', plain).split('\n\n');
  for (const [keys, signed] of [
    [[key], `${note}${line}`],
    [[logKey], note],
  ] as const)
    expect(() => openLogHead(signed, { logKey, witnesses: { keys, threshold: 1 } })).toThrow(/witness/);
});
