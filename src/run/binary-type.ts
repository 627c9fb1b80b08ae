/** The type of content whose type is not known. */
const unknownType = 'application/octet-stream';

/** The first bytes of common types, as text in Latin-1; `?` is any byte. */
const signatures: readonly (readonly [start: string, type: string])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['RIFF????WEBP', 'image/webp'],
  ['RIFF????WAVE', 'audio/wav'],
  ['BM????\0\0\0\0', 'image/bmp'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['ID3', 'audio/mpeg'],
  ['OggS', 'audio/ogg'],
  ['fLaC', 'audio/flac'],
  ['????ftyp', 'video/mp4'],
  ['\x1aE\xdf\xa3', 'video/webm'],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b', 'application/gzip'],
  ['SQLite format 3\0', 'application/vnd.sqlite3'],
];

/** The media type that the first bytes of binary content show. */
export function sniffedType(content: Uint8Array): string {
  const found = signatures.find(([start]) =>
    [...start].every((it, index) => it === '?' || content[index] === it.charCodeAt(0)),
  );
  return found?.[1] ?? unknownType;
}

/** The media type of a `Content-Type` header, without parameters; undefined if it says nothing. */
export function mediaTypeOf(header: string | undefined): string | undefined {
  const type = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;|$)/.exec(header ?? '')?.[1]?.toLowerCase();
  return type === unknownType ? undefined : type;
}
