// Archives that write outside of their folder. Control: a reader without our checks, as an unprivileged user, does it.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeTree } from '../../../src/environment/file-tree.js';
import type { HostError } from '../../../src/model/host-error.js';
import { readArchive } from '../../../src/sources/archive/archive.js';
import { withFileReader } from '../../../src/sources/archive/byte-reader.js';
import { contentStore } from '../../../src/sources/content-store.js';
import { pax, tarOf, zipOf } from '../../support/hostile-archive.js';
import { unconfinedPython } from '../../support/unconfined.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'archive-escape-'));
  mkdirSync(join(base, 'in'));
  for (const it of [base, join(base, 'in')]) {
    chmodSync(it, 0o755);
    if (process.getuid?.() === 0) chownSync(it, 65532, 65532);
  }
});
afterEach(() => removeTree(base));

/** Joins names without a check, as many programs did. */
const naiveZip = `
import os, stat, zipfile
with zipfile.ZipFile("../evil") as archive:
    for it in archive.infolist():
        if it.filename.endswith("/"): continue
        data = archive.read(it)
        os.makedirs(os.path.dirname(it.filename) or ".", exist_ok=True)
        if stat.S_ISLNK(it.external_attr >> 16): os.symlink(data, it.filename)
        else: open(it.filename, "wb").write(data)
`;
const naiveTar = `
import os, tarfile
with tarfile.open("../evil") as archive:
    for it in archive.getmembers():
        os.makedirs(os.path.dirname(it.name) or ".", exist_ok=True)
        if it.issym(): os.symlink(it.linkname, it.name)
        elif it.islnk(): os.link(it.linkname, it.name)
        elif it.isfile(): open(it.name, "ab").write(archive.extractfile(it).read())
`;

const mark = 'written by the archive';
const attacks: readonly (readonly [title: string, bytes: Buffer, naive: string, escaped: string])[] = [
  ['a zip with ".." in a name', zipOf([{ name: '../out', content: mark }]), naiveZip, 'out'],
  ['a zip with ".." inside a name', zipOf([{ name: 'a/../../out', content: mark }]), naiveZip, 'out'],
  [
    'a zip with a link and a file behind it',
    zipOf([
      { name: 'l', content: '..', mode: 0o120777 },
      { name: 'l/out', content: mark },
    ]),
    naiveZip,
    'out',
  ],
  [
    'a zip whose link is the file',
    zipOf([
      { name: 'l', content: '../out', mode: 0o120777 },
      { name: 'l', content: mark },
    ]),
    naiveZip,
    'out',
  ],
  ['a tar with ".." in a name', tarOf([{ name: '../out', content: mark }]), naiveTar, 'out'],
  [
    'a tar with ".." in a pax name',
    tarOf([pax({ path: '../out' }), { name: 'fine', content: mark }]),
    naiveTar,
    'out',
  ],
  [
    'a tar with ".." in a long name',
    tarOf([
      { name: 'x', type: 'L', content: '../out\0', gnu: true },
      { name: 'fine', content: mark, gnu: true },
    ]),
    naiveTar,
    'out',
  ],
  [
    'a tar with a link and a file behind it',
    tarOf([
      { name: 'l', type: '2', target: '..' },
      { name: 'l/out', content: mark },
    ]),
    naiveTar,
    'out',
  ],
  [
    'a tar whose hard link leads out',
    tarOf([
      { name: 'l', type: '1', target: '../secret' },
      { name: 'l', content: mark },
    ]),
    naiveTar,
    'secret',
  ],
];

async function unpack(): Promise<unknown> {
  const store = contentStore({ folder: join(base, 'store'), newName: () => 'one' });
  const { signal } = new AbortController();
  return withFileReader(join(base, 'evil'), (reader) => store.add(readArchive(reader), { signal })).catch(
    (error: HostError) => error,
  );
}

describe.each(attacks)('%s', (_title, bytes, naive, escaped) => {
  beforeEach(() => {
    writeFileSync(join(base, 'evil'), bytes);
    writeFileSync(join(base, 'secret'), '');
    if (process.getuid?.() === 0) chownSync(join(base, 'secret'), 65532, 65532);
  });

  test('is rejected, and nothing is written anywhere', async () => {
    expect(await unpack()).toMatchObject({ code: 'invalid_archive' });
    expect(existsSync(join(base, 'out'))).toBe(false);
    expect(readFileSync(join(base, 'secret'), 'utf8')).toBe('');
    expect(readdirSync(join(base, 'store/trees'))).toEqual([]);
    expect(readdirSync(join(base, 'store/staging'))).toEqual([]);
    expect(readdirSync(join(base, 'in'))).toEqual([]);
  });

  test('escapes from a reader without checks', async () => {
    const output = await unconfinedPython(naive, join(base, 'in'));
    expect([output, existsSync(join(base, escaped)) && readFileSync(join(base, escaped), 'utf8')]).toEqual([
      '',
      mark,
    ]);
  });
});

test('a reader without limits fills the memory or the disk where ours stops early', async () => {
  const zeros = Buffer.alloc(40_000_000);
  const bomb = zipOf(['a', 'b', 'c'].map((name) => ({ name, content: zeros, deflate: true })));
  writeFileSync(join(base, 'evil'), bomb);
  expect(bomb.length).toBeLessThan(200_000);
  expect(await unpack()).toMatchObject({ message: 'the archive unpacks to more than 200 times its size' });
  expect(readdirSync(join(base, 'store/staging'))).toEqual([]);
  const size = 'import zipfile; print(sum(len(zipfile.ZipFile("../evil").read(it)) for it in "abc"))';
  expect(await unconfinedPython(size, join(base, 'in'))).toBe('120000000\n');
});
