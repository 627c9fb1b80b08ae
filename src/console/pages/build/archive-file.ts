// Archives of a few text files: ZIP without compression, and tar. Times are fixed, so that the same files give the same bytes.
import type { DraftFile } from '../../../host/host.js';

type Bytes = Uint8Array<ArrayBuffer>;

const utf8 = new TextEncoder();

/** 1980-01-01, the first day that ZIP knows, in its own form. */
const zipDate = 0x21;

export function zipOf(folder: string, files: readonly DraftFile[]): Bytes {
  const parts: Bytes[] = [];
  const directory: Bytes[] = [];
  let offset = 0;
  for (const { path, text } of files) {
    const name = utf8.encode(`${folder}/${path}`);
    const data = utf8.encode(text);
    // Version, flags (the name is UTF-8), no compression, time, date, checksum, both sizes, length of the name, no more fields.
    const shared = [
      ...u16(20),
      ...u16(0x0800),
      ...u16(0),
      ...u16(0),
      ...u16(zipDate),
      ...u32(crc32(data)),
      ...u32(data.length),
      ...u32(data.length),
      ...u16(name.length),
      ...u16(0),
    ];
    const local = joined([new Uint8Array([...u32(0x04034b50), ...shared]), name, data]);
    directory.push(
      joined([
        new Uint8Array([
          ...u32(0x02014b50),
          ...u16(20),
          ...shared,
          ...u16(0),
          ...u16(0),
          ...u16(0),
          ...u32(0),
          ...u32(offset),
        ]),
        name,
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const index = joined(directory);
  const end = new Uint8Array([
    ...u32(0x06054b50),
    ...u32(0),
    ...u16(files.length),
    ...u16(files.length),
    ...u32(index.length),
    ...u32(offset),
    ...u16(0),
  ]);
  return joined([...parts, index, end]);
}

/** A gzipped tar, as `npm pack` makes it. */
export async function tgzOf(folder: string, files: readonly DraftFile[]): Promise<Blob> {
  const parts = files.flatMap(({ path, text }) => {
    const data = utf8.encode(text);
    return [
      tarHeader(`${folder}/${path}`, data.length),
      data,
      new Uint8Array((512 - (data.length % 512)) % 512),
    ];
  });
  const tar = new Blob([...parts, new Uint8Array(1024)]);
  return new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

function tarHeader(path: string, size: number): Bytes {
  const header = new Uint8Array(512);
  const bytes = utf8.encode(path);
  // A longer path goes into two fields that a slash separates.
  const cut = bytes.length <= 100 ? -1 : bytes.indexOf(47, bytes.length - 101);
  header.set(bytes.slice(cut + 1, cut + 101), 0);
  if (cut > 0) header.set(bytes.slice(0, Math.min(cut, 155)), 345);
  const put = (at: number, text: string) => header.set(utf8.encode(text), at);
  put(100, '0000644\0');
  put(108, '0000000\0');
  put(116, '0000000\0');
  put(124, `${size.toString(8).padStart(11, '0')}\0`);
  put(136, `${'0'.repeat(11)}\0`);
  put(148, '        0ustar\x0000');
  const sum = header.reduce((total, it) => total + it, 0);
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return header;
}

function u16(value: number): number[] {
  return [value & 255, (value >> 8) & 255];
}

function u32(value: number): number[] {
  return [...u16(value), ...u16(value >>> 16)];
}

function joined(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, it) => sum + it.length, 0));
  let at = 0;
  for (const it of parts) {
    all.set(it, at);
    at += it.length;
  }
  return all;
}

function crc32(data: Uint8Array): number {
  let crc = -1;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
