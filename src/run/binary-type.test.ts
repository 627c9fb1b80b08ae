import { expect, test } from 'vitest';
import { mediaTypeOf, sniffedType } from './binary-type.js';

const bytes = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['\x89PNG\r\n\x1a\n....', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['RIFF1234WEBPVP8 ', 'image/webp'],
  ['RIFF1234WAVEfmt ', 'audio/wav'],
  ['RIFF1234AVI ', 'application/octet-stream'],
  ['%PDF-1.7', 'application/pdf'],
  ['', 'application/octet-stream'],
  ['\x89PN', 'application/octet-stream'],
])('the first bytes %j show the type %s', (text, type) => {
  expect(sniffedType(bytes(text))).toBe(type);
});

test.each([
  ['image/PNG', 'image/png'],
  [' application/pdf ; version=2', 'application/pdf'],
  ['application/octet-stream', undefined],
  ['png', undefined],
  ['text/html\r\nX: y', undefined],
  [undefined, undefined],
])('the header %j says %s', (header, type) => {
  expect(mediaTypeOf(header)).toBe(type);
});
