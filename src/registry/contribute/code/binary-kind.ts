const programs: readonly (readonly [string, readonly number[]])[] = [
  ['a program (ELF)', [0x7f, 0x45, 0x4c, 0x46]],
  ['a program (Windows)', [0x4d, 0x5a]],
  ['a program (macOS)', [0xcf, 0xfa, 0xed, 0xfe]],
  ['a program (macOS)', [0xca, 0xfe, 0xba, 0xbe]],
  ['WebAssembly', [0x00, 0x61, 0x73, 0x6d]],
  ['an archive', [0x50, 0x4b, 0x03, 0x04]],
  ['an archive', [0x1f, 0x8b]],
  ['an archive', [0xfd, 0x37, 0x7a, 0x58]],
  ['an archive', [0x37, 0x7a, 0xbc, 0xaf]],
];

const media: Readonly<Record<string, readonly (readonly number[])[]>> = {
  png: [[0x89, 0x50, 0x4e, 0x47]],
  jpg: [[0xff, 0xd8, 0xff]],
  jpeg: [[0xff, 0xd8, 0xff]],
  gif: [[0x47, 0x49, 0x46, 0x38]],
  webp: [[0x52, 0x49, 0x46, 0x46]],
  ico: [[0x00, 0x00, 0x01, 0x00]],
  woff: [[0x77, 0x4f, 0x46, 0x46]],
  woff2: [[0x77, 0x4f, 0x46, 0x32]],
  pdf: [[0x25, 0x50, 0x44, 0x46]],
};

/** What a file that is not text is; undefined for pictures, fonts and documents that are what their name says. */
export function binaryKind(path: string, bytes: Uint8Array): string | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const starts = (magic: readonly number[]) => magic.every((it, index) => bytes[index] === it);
  if (media[ending]?.some(starts) === true) return undefined;
  return programs.find(([, magic]) => starts(magic))?.[0] ?? 'not text';
}
