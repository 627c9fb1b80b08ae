// A witness of a registry's transparency log.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { cosignedText, witnessKeyText } from '../../src/store/cosignature.js';
import { noteKeyId, parseSignedNote } from '../../src/store/signed-note.js';

export interface Witness {
  /** As in the root file of a registry. */
  readonly key: string;
  /** Adds its signature to a checkpoint, or one for another text. */
  cosign(note: string, text?: string): string;
}

export function newWitness(name: string, seconds = 1_700_000_000n): Witness {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { name, publicKey: createPublicKey(privateKey) };
  return {
    key: witnessKeyText(key),
    cosign(note, text = parseSignedNote(note)?.text ?? '') {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(seconds);
      const signature = sign(null, cosignedText(text, seconds), privateKey);
      const encoded = Buffer.concat([noteKeyId(key, 4), time, signature]).toString('base64');
      return `${note}\u2014 ${name} ${encoded}\n`;
    },
  };
}
