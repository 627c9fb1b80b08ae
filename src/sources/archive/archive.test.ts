import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pax, type TarPart, tarOf, type ZipPart, zipOf } from '../../../test/support/hostile-archive.js';
import { HostError } from '../../model/host-error.js';
import { readArchive } from './archive.js';
import { type ArchiveLimits, defaultArchiveLimits } from './archive-limits.js';
import { bufferReader } from './byte-reader.js';

async function unpack(bytes: Buffer, limits: Partial<ArchiveLimits> = {}): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const it of readArchive(bufferReader(bytes), { ...defaultArchiveLimits, ...limits }))
    files[it.path + (it.executable ? '*' : '')] = Buffer.from(it.bytes).toString('utf8');
  return files;
}

async function rejection(bytes: Buffer, limits: Partial<ArchiveLimits> = {}): Promise<string> {
  try {
    const files = await unpack(bytes, limits);
    return `unpacked: ${Object.keys(files).join(', ')}`;
  } catch (error) {
    if (error instanceof HostError && error.code === 'invalid_archive') return error.message;
    throw error;
  }
}

const file = { name: 'a.txt', content: 'hello' };

describe('a zip', () => {
  const accepted: readonly (readonly [title: string, bytes: Buffer, files: Record<string, string>])[] = [
    [
      'is unpacked',
      zipOf([file, { name: 'b/' }, { name: 'b/c', content: 'x' }]),
      { 'a.txt': 'hello', 'b/c': 'x' },
    ],
    ['may be deflated', zipOf([{ ...file, deflate: true }]), { 'a.txt': 'hello' }],
    ['keeps the executable bit', zipOf([{ ...file, mode: 0o100755 }]), { 'a.txt*': 'hello' }],
    ['may have a comment', zipOf([file], { comment: 'made today' }), { 'a.txt': 'hello' }],
    ['may be empty', zipOf([]), {}],
    [
      'may have sizes after the content',
      zipOf([
        { ...file, deflate: true, descriptor: 'signed' },
        { ...file, name: 'b' },
      ]),
      { 'a.txt': 'hello', b: 'hello' },
    ],
    [
      'may have sizes after the content without a mark',
      zipOf([{ ...file, descriptor: 'plain' }]),
      { 'a.txt': 'hello' },
    ],
    [
      'may have 64-bit sizes after the content',
      zipOf([{ ...file, descriptor: 'zip64' }]),
      { 'a.txt': 'hello' },
    ],
    ['may use zip64 for its sizes', zipOf([{ ...file, zip64: true }]), { 'a.txt': 'hello' }],
    ['may use zip64 for its end', zipOf([file], { zip64End: true }), { 'a.txt': 'hello' }],
    [
      'becomes copies where it has links to its own files',
      zipOf([{ name: 'd/l', content: '../a.txt', mode: 0o120777 }, file]),
      { 'a.txt': 'hello', 'd/l': 'hello' },
    ],
    ['keeps an archive inside as a file', zipOf([{ name: 'in.zip', content: 'PK' }]), { 'in.zip': 'PK' }],
  ];
  for (const [title, bytes, files] of accepted)
    test(title, async () => expect(await unpack(bytes)).toEqual(files));

  const part = (it: Partial<ZipPart>): Buffer => zipOf([{ ...file, ...it }]);
  const two = (first: string, second: string) =>
    zipOf([
      { ...file, name: first },
      { ...file, name: second },
    ]);
  const twice = 'the archive describes "a.txt" in two places that do not agree';
  const rejected: readonly (readonly [bytes: Buffer, message: string])[] = [
    [part({ name: '../x' }), 'the name "../x" leads outside of the archive'],
    [part({ name: 'a/../../x' }), 'the name "a/../../x" leads outside of the archive'],
    [part({ name: '/etc/x' }), 'the name "/etc/x" is an absolute path'],
    [part({ name: 'C:x' }), 'the name "C:x" is an absolute path'],
    [part({ name: '..\\x' }), 'the name "..\\\\x" contains a backslash'],
    [part({ name: 'a//b' }), 'the name "a//b" has an empty part or "."'],
    [part({ name: 'a/./b' }), 'the name "a/./b" has an empty part or "."'],
    [part({ name: '' }), 'an entry has no name'],
    [part({ name: 'a\nb' }), 'the name "a\\nb" contains a character that cannot be seen'],
    [
      part({ name: 'a\u001b[2J' }),
      'the name "a<U+001B>[2J" contains a character that cannot be seen (U+001B)',
    ],
    [part({ name: 'a\0b' }), 'the name "a<U+0000>b" contains a character that cannot be seen (U+0000)'],
    [
      part({ name: 'gnp\u202e.txt' }),
      'the name "gnp<U+202E>.txt" contains a character that cannot be seen (U+202E)',
    ],
    [part({ name: Buffer.from([0x61, 0xff]) }), 'a name in the archive is not UTF-8'],
    [part({ name: '.git/config' }), '".git/config" belongs to a git repository, which is not unpacked'],
    [part({ name: 'a/.GIT/hooks/x' }), '"a/.GIT/hooks/x" belongs to a git repository, which is not unpacked'],
    [part({ name: `${'a/'.repeat(32)}b` }), `"${'a/'.repeat(32)}b" is more than 32 folders deep`],
    [part({ name: 'a'.repeat(256) }), `the name "${'a'.repeat(117)}…" is too long`],
    [two('a', 'a'), '"a" is in the archive twice'],
    [two('README', 'readme'), '"README" and "readme" are the same name on some systems'],
    [two('A/x', 'a/y'), '"A" and "a" are the same name on some systems'],
    [two('\u00e9', 'e\u0301'), '"\u00e9" and "e\u0301" are the same name on some systems'],
    [two('stra\u00dfe', 'STRASSE'), '"stra\u00dfe" and "STRASSE" are the same name on some systems'],
    [two('a', 'a/b'), '"a" is both a file and a folder'],
    [two('a/b', 'a'), '"a" is both a file and a folder'],
    [
      part({ mode: 0o120777, content: '/etc/passwd' }),
      '"a.txt" is a link to "/etc/passwd", outside of the archive',
    ],
    [part({ mode: 0o120777, content: '../x' }), '"a.txt" is a link to "../x", outside of the archive'],
    [
      part({ mode: 0o120777, content: 'nothing' }),
      '"a.txt" is a link to "nothing", which is not a file of the archive',
    ],
    [
      part({ mode: 0o120777, content: 'a.txt' }),
      '"a.txt" is a link to "a.txt", which is not a file of the archive',
    ],
    [
      part({ mode: 0o120777, content: 'a', name: 'l' }),
      '"l" is a link to "a", which is not a file of the archive',
    ],
    [part({ mode: 0o020644 }), '"a.txt" is not a file or folder, which is not unpacked'],
    [part({ mode: 0o010644 }), '"a.txt" is not a file or folder, which is not unpacked'],
    [part({ name: 'a/', content: 'x' }), '"a/" is a folder with content'],
    [part({ lie: { localName: 'b.txt' } }), twice],
    [part({ lie: { localSize: 3 } }), twice],
    [part({ descriptor: 'signed', lie: { descriptorCrc: 1 } }), twice],
    [part({ lie: { crc: 1 } }), '"a.txt" is damaged: its checksum is wrong'],
    [part({ lie: { size: 4 } }), '"a.txt" has two different sizes'],
    [part({ deflate: true, lie: { size: 4 } }), '"a.txt" is damaged: it cannot be decompressed to 4 bytes'],
    [
      part({ deflate: true, lie: { size: 9 } }),
      '"a.txt" is damaged: it has another size than the archive says',
    ],
    [
      part({ lie: { packed: Buffer.concat([deflateRawSync('hello'), Buffer.from('more')]), method: 8 } }),
      '"a.txt" is damaged: it has bytes after its content',
    ],
    [part({ lie: { flags: 1 } }), '"a.txt" is encrypted'],
    [part({ lie: { method: 12 } }), '"a.txt" uses compression method 12; only deflate is unpacked'],
    [part({ lie: { extra: Buffer.from([0x75, 0x70, 1, 0, 0x62]) } }), '"a.txt" has a second name'],
    [part({ lie: { extra: Buffer.from([1, 2, 200, 0]) } }), 'the header of "a.txt" is damaged'],
    [
      zipOf([file, { ...file, name: 'b.txt', lie: { offset: 0 } }]),
      '"b.txt" overlaps another entry, or bytes before it belong to no entry',
    ],
    [
      zipOf([file], { before: Buffer.from('PK\x03\x04junk') }),
      '"a.txt" overlaps another entry, or bytes before it belong to no entry',
    ],
    [zipOf([file], { between: Buffer.from('junk') }), 'the archive has bytes that belong to no entry'],
    [zipOf([file], { countLie: 2 }), 'the directory of the archive is damaged'],
    [
      zipOf([file, { ...file, name: 'b' }], { countLie: 1 }),
      'the directory of the archive is longer than its entries',
    ],
    [zipOf([file]).subarray(0, -1), 'the archive is truncated, or is not a zip: it has no end record'],
    [
      Buffer.concat([zipOf([file]), Buffer.from('x')]),
      'the archive is truncated, or is not a zip: it has no end record',
    ],
  ];
  for (const [bytes, message] of rejected)
    test(`is rejected: ${message}`, async () => expect(await rejection(bytes)).toBe(message));

  test('that hides a second archive in its comment is read by the last end record only', async () => {
    const inner = zipOf([{ name: 'hidden', content: 'x' }]);
    const bytes = zipOf([file], { comment: inner.toString('latin1') });
    expect(await rejection(bytes)).toMatch(/belong to nothing|no end record/);
  });

  test('is rejected at every length that is cut off', async () => {
    const whole = zipOf([
      { ...file, deflate: true },
      { name: 'b/c', content: 'x'.repeat(300) },
    ]);
    for (let length = 0; length < whole.length; length += 1)
      expect(await rejection(whole.subarray(0, length))).not.toMatch(/^unpacked/);
  });
});

describe('a tar', () => {
  const long = `${'n'.repeat(90)}/${'m'.repeat(90)}`;
  const accepted: readonly (readonly [
    title: string,
    parts: readonly TarPart[],
    files: Record<string, string>,
  ])[] = [
    [
      'is unpacked',
      [
        { name: './', type: '5' },
        { ...file, name: './a.txt' },
        { name: 'b', type: '5' },
        { name: 'b/c', content: 'x' },
      ],
      { 'a.txt': 'hello', 'b/c': 'x' },
    ],
    ['keeps the executable bit', [{ ...file, mode: 0o755 }], { 'a.txt*': 'hello' }],
    ['may have a prefix', [{ ...file, prefix: 'p' }], { 'p/a.txt': 'hello' }],
    ['may have long names of pax', [pax({ path: long, mtime: '1.5' }), file], { [long]: 'hello' }],
    [
      'may have long names of GNU',
      [
        { name: '././@LongLink', type: 'L', content: `${long}\0`, gnu: true },
        { ...file, gnu: true },
      ],
      { [long]: 'hello' },
    ],
    [
      'may name its commit for all files',
      [pax({ comment: 'c'.repeat(40) }, 'g'), file],
      { 'a.txt': 'hello' },
    ],
    [
      'may have the size in pax',
      [pax({ size: '5' }), { ...file, content: 'hello', size: 0 }],
      { 'a.txt': 'hello' },
    ],
    [
      'becomes copies where it has links to its own files',
      [
        { name: 'd/l', type: '2', target: '../a.txt' },
        file,
        { name: 'h', type: '1', target: 'a.txt' },
        { name: 'm', type: '2', target: 'd/l' },
      ],
      { 'a.txt': 'hello', 'd/l': 'hello', h: 'hello', m: 'hello' },
    ],
  ];
  for (const [title, parts, files] of accepted)
    test(title, async () => {
      expect(await unpack(tarOf(parts))).toEqual(files);
      expect(await unpack(gzipSync(tarOf(parts)))).toEqual(files);
    });

  const rejected: readonly (readonly [parts: readonly TarPart[], message: string])[] = [
    [[{ ...file, name: '../x' }], 'the name "../x" leads outside of the archive'],
    [[{ ...file, name: '/etc/x' }], 'the name "/etc/x" is an absolute path'],
    [[{ ...file, prefix: '..' }], 'the name "../a.txt" leads outside of the archive'],
    [[pax({ path: '../x' }), file], 'the name "../x" leads outside of the archive'],
    [[{ name: 'L', type: 'L', content: '../x\0' }, file], 'the name "../x" leads outside of the archive'],
    [[{ name: '..', type: '5' }], 'the name ".." leads outside of the archive'],
    [[file, { ...file, name: 'A.TXT' }], '"a.txt" and "A.TXT" are the same name on some systems'],
    [[file, file], '"a.txt" is in the archive twice'],
    [
      [{ name: 'l', type: '2', target: '/etc/passwd' }],
      '"l" is a link to "/etc/passwd", outside of the archive',
    ],
    [
      [
        { name: 'l', type: '2', target: '..' },
        { ...file, name: 'l/x' },
      ],
      '"l" is a link to "..", outside of the archive',
    ],
    [
      [
        { name: 'd', type: '5' },
        { name: 'l', type: '2', target: 'd' },
      ],
      '"l" is a link to "d", which is not a file of the archive',
    ],
    [[{ name: 'l', type: '1', target: '../x' }], '"l" is a link to "../x", outside of the archive'],
    [[{ name: 'd', type: '3' }], '"d" is a device, which is not unpacked'],
    [[{ name: 'd', type: '4' }], '"d" is a device, which is not unpacked'],
    [[{ name: 'p', type: '6' }], '"p" is a pipe, which is not unpacked'],
    [[{ name: 's', type: 'S' }], '"s" is an entry of the type "S", which is not unpacked'],
    [[pax({ 'GNU.sparse.major': '1' }), file], 'the archive has a sparse file, which is not unpacked'],
    [[pax({ path: 'x' }, 'g'), file], 'the archive sets a name or size for all of its files at once'],
    [[{ name: 'p', type: 'x', content: '99 path=x\n' }, file], 'the archive has a damaged pax header'],
    [[{ name: 'p', type: 'x', size: 2_000_000 }], 'the archive has a header of more than 1 MiB'],
    [[{ ...file, name: Buffer.from([0x61, 0xff]) }], 'a name in the archive is not UTF-8'],
    [[{ ...file, wrongSum: true }], 'the archive is damaged: the checksum of a header is wrong'],
    [[{ ...file, size: 0o77777777777 + 1 }], '"a.txt" has 8,589,934,592 bytes; the limit is 67,108,864'],
    [[{ ...file, size: 5000 }], 'the archive is truncated in "a.txt"'],
  ];
  for (const [parts, message] of rejected)
    test(`is rejected: ${message}`, async () => {
      expect(await rejection(tarOf(parts))).toBe(message);
      expect(await rejection(gzipSync(tarOf(parts)))).toBe(message);
    });

  test('is rejected without its end mark, or with data after it', async () => {
    expect(await rejection(tarOf([file], { end: false }))).toBe(
      'the archive is truncated: it has no end mark',
    );
    const joined = Buffer.concat([tarOf([file]), tarOf([{ ...file, name: 'b' }])]);
    expect(await rejection(joined)).toBe('the archive has data after its end mark');
  });

  test('that is gzipped is rejected at every length that is cut off', async () => {
    const whole = gzipSync(tarOf([file, { name: 'b', content: 'y'.repeat(700) }]));
    for (let length = 0; length < whole.length; length += 1)
      expect(await rejection(whole.subarray(0, length))).not.toMatch(/^unpacked/);
  });
});

describe('the limits of an archive', () => {
  const zeros = Buffer.alloc(2_000_000);
  const limits = { freeBytes: 1_000_000 };
  const many = Array.from({ length: 20 }, (_, index) => ({ name: `f${index}`, content: 'x' }));

  test('stop a bomb by its ratio', async () => {
    const message = 'the archive unpacks to more than 200 times its size';
    expect(await rejection(zipOf([{ name: 'z', content: zeros, deflate: true }]), limits)).toBe(message);
    expect(await rejection(gzipSync(tarOf([{ name: 'z', content: zeros }])), limits)).toBe(message);
  });

  test('stop a bomb between the files of a gzipped tar', async () => {
    const padding = Buffer.concat([tarOf([file]), zeros]);
    expect(await rejection(gzipSync(padding), limits)).toBe(
      'the archive unpacks to more than 200 times its size',
    );
  });

  test('stop too many files, and folders count too', async () => {
    expect(await rejection(zipOf(many), { entries: 19 })).toBe('the archive has 20 entries; the limit is 19');
    expect(await rejection(tarOf(many), { entries: 19 })).toBe(
      'the archive has more than 19 files and folders',
    );
    const folders = many.map((it) => ({ name: it.name, type: '5' }));
    expect(await rejection(tarOf(folders), { entries: 19 })).toBe(
      'the archive has more than 19 files and folders',
    );
  });

  test('stop too many bytes, of one file and of all, links included', async () => {
    expect(await rejection(zipOf([file]), { fileBytes: 4 })).toBe('"a.txt" has 5 bytes; the limit is 4');
    expect(await rejection(tarOf(many), { totalBytes: 19 })).toBe(
      'the archive unpacks to more than 19 bytes',
    );
    const links = Array.from({ length: 5 }, (_, it) => ({ name: `l${it}`, type: '2', target: 'a.txt' }));
    expect(await rejection(tarOf([file, ...links]), { totalBytes: 25 })).toBe(
      'the archive unpacks to more than 25 bytes',
    );
  });

  test('a bomb of overlapping entries is rejected before anything is unpacked', async () => {
    const bomb = zipOf([
      { name: '0', content: zeros, deflate: true },
      ...Array.from({ length: 50 }, (_, it) => ({
        name: String(it + 1).slice(0, 1) + it,
        content: zeros,
        deflate: true,
        lie: { offset: 0 },
      })),
    ]);
    expect(await rejection(bomb)).toMatch(/overlaps another entry|do not agree/);
  });
});

test('random changes of an archive give its files, other names or a clear error, and never a crash', async () => {
  const archives = [
    zipOf(
      [
        { ...file, deflate: true, descriptor: 'signed' },
        { name: 'b/c', content: 'x', zip64: true },
      ],
      { zip64End: true },
    ),
    tarOf([pax({ path: 'long' }), file, { name: 'l', type: '2', target: 'long' }]),
    gzipSync(tarOf([file])),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...archives),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      async (archive, changes) => {
        const bytes = Buffer.from(archive);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        const found = await rejection(bytes);
        for (const path of /^unpacked: (.*)/.exec(found)?.[1]?.split(', ') ?? [])
          expect(path).not.toMatch(/(^|\/)\.\.(\/|$)|^\/|\\/);
      },
    ),
    { numRuns: 600 },
  );
});
