import type { Sha256 } from '../guardrails/wallet.js';
import { toHex, utf8 } from './encoding.js';

/**
 * SHA-256 digests of sample keys that vendors print in public documentation: they give access to nothing. Digests, so
 * that this file contains no keys. Only the whole value counts, never a part of it or its format.
 */
const digests: ReadonlySet<string> = new Set([
  // Google: keys in the samples and tests of the Firebase libraries.
  'f56e323494a6ffc2064e7a955908957d84f0755e5f975dabd64328d0359a8f7c',
  '2037abcaffb2b77785da716cf7ccff4ff4d00c4ea930db0167b7d71f50af7eb4',
  '3f370c9dd8225c63b5c77de1f785edc9712958f18bb612d5fa2e0ae33aeca682',
  'e4a5542bb7fd7b67e943c71ad29c34b5972c9840597e7eda53e666f44d5da0b9',
  'a19f89ab3555eac10c40741f6df79ecf0935998f15569f8db9d67bce0181fff6',
  '0b476bdf9acf2123d547b5ae76f1e59884d8ec9553ee0c47e9f31fd4768f3f3c',
  'eb540d2b6ee2a0a47c5779bc8a0141784c6b753840d4c6f4e2428a6e86e9e0b1',
  '37f8f09bdf12c2f2eae4ead7273a62ddb0c23459cbf902892f282b57f7ed6619',
  '8731261cb72d86267a32a532ebd3df429e2144e5e4ced7e13568bc9e6c8fb1b1',
  '49f777db995e8260da7ca9ffdf0c08d66f0453e97ec967018baf2cdfe3b582d0',
  '27a9a42931dff7eb2f8434e20a9bce976ea364e7bee49187f19d5cfeca9c7045',
  'dc0fcf046c61640cbd1e8b999ada3262d722c2ca4bf42dceac999020ffdbb614',
  '4c98242dcadc8b29005c6b4aad526552d5ea1842149154c0694adeec75847583',
  'ea9bb1082cf95663f5faca23b8b15ef2aa0fce0a5c6df9c32dcb85b2e0a4513d',
  '3a8b61d0f636b007840c0d40ba12bcf48465dc054cdc1a68704a33521d84b665',
  'a6c814bc555ae62c7bd8b58ec07bf559c7ed3a009976a1e0acc9cef0d4473b41',
  // Amazon: the two key pairs that end in EXAMPLE, and a temporary one.
  '1a5d44a2dca19669d72edf4c4f1c27c4c1ca4b4408fbb17f6ce4ad452d78ddb3',
  'c6ea27c534f993d31f0aef882e3d200e7b87470c379ae79c8f9b19d3bd363dc9',
  'cb20d34a7adda2f5d2043836051e242fd4c2b233e02c80c91fe9d5af9b100574',
  '78314b11be2e581549ac1c4f616563fad3fdf0c3b71678f6e2299182080e0598',
  'e21b597ba6b9cafa59d9ebc4d65c0385f5eb3fa56abab2607fa76589ad849a33',
  // Microsoft: the account key of the storage emulator, the same on every machine.
  '0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059',
  // Stripe: keys of its documentation.
  '2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326',
  'f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397',
  // The tokens of jwt.io and RFC 7515.
  '7f75367e7881255134e1375e723d1dea8ad5f6a4fdb79d938df1f1754a830606',
  '8d4ef6536dc8895f256c1e0d95dcd19763036732d64a095e44a90ed444267ad3',
]);

/** Whether a value that looks like a key is a published sample. */
export function isPublishedSample(value: string, sha256: Sha256): boolean {
  return digests.has(toHex(sha256(utf8(value))));
}
