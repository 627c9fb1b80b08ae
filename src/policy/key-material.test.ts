import { expect, test } from 'vitest';
import { hasPrivateKey, keyMaterialKind } from './key-material.js';

test.each([
  ['/w/a/b', '.ssh', 'always'],
  ['/w', '.npmrc', 'always'],
  ['/w/.config', 'gcloud', 'always'],
  ['/w/config', 'gcloud', 'no'],
  ['/w', 'gcloud', 'no'],
  ['/w', 'id_rsa', 'always'],
  ['/w', 'id_rsa.pub', 'no'],
  ['/w', 'id_ed25519_sk', 'always'],
  ['/w', '.env', 'always'],
  ['/w', '.env.local', 'always'],
  ['/w', '.envrc', 'always'],
  ['/w', '.env.example', 'no'],
  ['/w', '.env-sample', 'no'],
  ['/w', '.env.local.template', 'no'],
  ['/w', '.env.example.local', 'always'],
  ['/w', 'env', 'no'],
  ['/w', 'key.PEM', 'if-private'],
  ['/w', 'keys.pem.txt', 'no'],
] as const)('%s/%s: %s', (folder, name, kind) => {
  expect(keyMaterialKind(folder, name)).toBe(kind);
});

test.each([
  ['PRIVATE KEY', true],
  ['RSA PRIVATE KEY', true],
  ['ENCRYPTED PRIVATE KEY', true],
  ['OPENSSH PRIVATE KEY', true],
  ['PGP PRIVATE KEY BLOCK', true],
  ['CERTIFICATE', false],
  ['PUBLIC KEY', false],
])('a PEM file with a %s: %s', (label, expected) => {
  expect(hasPrivateKey(`text\n-----BEGIN ${label}-----\nAA\n-----END ${label}-----`)).toBe(expected);
});
