// Packages from URLs, npm registries, Python indexes and image registries, all on loopback over TLS.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockedSource, Source } from '../../../src/model/source.js';
import { acquireSource, resolveSource } from '../../../src/sources/acquire.js';
import { npmRegistry, onIndex, pythonIndex } from '../../../src/sources/index-access.js';
import type { SourceProgress, SourceServices } from '../../../src/sources/source.js';
import { tarball, wheel, zip } from '../../support/archive.js';
import { tarOf } from '../../support/hostile-archive.js';
import { filesIn, hostErrorOf, type SourcesBench, sourcesBench } from '../../support/sources-bench.js';

let bench: SourcesBench;
const { signal } = new AbortController();
const manifest = '{"name":"Some agent"}';
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

beforeEach(async () => {
  bench = await sourcesBench((origin) => ({
    npmRegistry: `${origin}/npm/`,
    pythonIndex: `${origin}/simple`,
  }));
});
afterEach(() => bench.close());

/** Serves these bodies by path; everything else does not exist. */
function serve(bodies: Record<string, Buffer | string | [type: string, body: string]>): void {
  bench.handler = (request, response) => {
    const body = bodies[request.url ?? ''];
    if (body === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (Array.isArray(body)) response.setHeader('content-type', body[0]);
    response.end(Array.isArray(body) ? body[1] : body);
  };
}

const acquire = (source: Source | LockedSource, services: SourceServices = bench.services) =>
  acquireSource(source, { services, signal });

async function leavesNothing(work: () => Promise<unknown>): Promise<Error & { code: string; hint?: string }> {
  const before = bench.listing().filter((it) => !/^(store|store\/\w+|building)$/.test(it));
  const error = await hostErrorOf(work());
  expect(bench.listing().filter((it) => !/^(store|store\/\w+|building)$/.test(it))).toEqual(before);
  return error as never;
}

describe('a URL', () => {
  const archive = zip({ 'repo-main/findagent.json': manifest, 'repo-main/a/b.txt': 'b' });

  test('of an archive gives its files without the top folder, the hash and the progress', async () => {
    serve({ '/a.zip': archive });
    const steps: SourceProgress[] = [];
    const url = `${bench.origin}/a.zip`;
    const found = await acquireSource(
      { kind: 'https', url },
      { services: bench.services, signal, onProgress: (it) => steps.push(it) },
    );
    expect(filesIn(found.folder)).toEqual({ 'findagent.json': manifest, 'a/b.txt': 'b' });
    expect(found.locked).toEqual({ kind: 'https', url, sha256: sha256(archive) });
    expect(steps.at(-2)).toEqual({
      step: 'download',
      detail: new URL(url).host,
      bytes: archive.length,
      totalBytes: archive.length,
    });
    expect((await acquire(found.locked)).tree).toBe(found.tree);
    expect(await resolveSource({ kind: 'https', url }, { services: bench.services, signal })).toEqual(
      found.locked,
    );
  });

  test('of one manifest gives this file', async () => {
    serve({ '/x/findagent.json': manifest });
    const { folder } = await acquire({ kind: 'https', url: `${bench.origin}/x/findagent.json` });
    expect(filesIn(folder)).toEqual({ 'findagent.json': manifest });
  });

  test('with other content than expected fails and names both hashes', async () => {
    serve({ '/a.zip': archive });
    const expected = 'a'.repeat(64);
    const error = await leavesNothing(() =>
      acquire({ kind: 'https', url: `${bench.origin}/a.zip`, sha256: expected }),
    );
    expect(error.code).toBe('integrity');
    expect(error.message).toContain(`expected ${expected}, found ${sha256(archive)}`);
  });

  test('that does not exist, breaks off, is too slow or is no archive fails clearly', async () => {
    serve({ '/junk.zip': Buffer.alloc(2 * 1024 * 1024, 'x'), '/evil.zip': zip({ '../x': '' }) });
    const at = (path: string) => ({ kind: 'https', url: `${bench.origin}${path}` }) as const;
    expect(await leavesNothing(() => acquire(at('/none.zip')))).toMatchObject({ code: 'not_found' });
    expect(await leavesNothing(() => acquire(at('/junk.zip')))).toMatchObject({ code: 'invalid_archive' });
    expect((await leavesNothing(() => acquire(at('/evil.zip')))).message).toBe(
      'the name "../x" leads outside of the archive',
    );
    bench.handler = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('part');
      setImmediate(() => response.destroy());
    };
    expect(await leavesNothing(() => acquire(at('/cut.zip')))).toMatchObject({ code: 'network_failed' });
    bench.handler = (_, response) => response.write('slow');
    const slow = bench.with({ timeouts: { idleMs: 300 } });
    expect(await leavesNothing(() => acquire(at('/slow.zip'), slow))).toMatchObject({ code: 'timeout' });
  });

  test('may redirect to another host, but not to a private one without a grant', async () => {
    const other = await sourcesBench();
    try {
      other.handler = (_, response) => response.end(archive);
      bench.handler = (_, response) => response.writeHead(302, { location: `${other.origin}/b.zip` }).end();
      const source = { kind: 'https', url: `${bench.origin}/a.zip` } as const;
      expect(await leavesNothing(() => acquire(source))).toMatchObject({ code: 'network_denied' });
      expect(other.requests).toEqual([]);
      const granted = [...bench.services.granted, ...other.services.granted];
      expect((await acquire(source, bench.with({ granted }))).locked).toMatchObject({
        sha256: sha256(archive),
      });
    } finally {
      await other.close();
    }
  });

  test('that is canceled during the download leaves nothing', async () => {
    const controller = new AbortController();
    bench.handler = (_, response) => {
      response.write('part');
      controller.abort();
    };
    const work = () =>
      acquireSource(
        { kind: 'https', url: `${bench.origin}/a.zip` },
        { services: bench.services, signal: controller.signal },
      );
    expect(await leavesNothing(work)).toMatchObject({ code: 'canceled' });
  });
});

describe('a repository without a manifest', () => {
  const skills = zip({
    'rules-main/AGENTS.md': 'Run the tests first.\n',
    'rules-main/review/SKILL.md': '---\nname: Review\ndescription: Reads a diff.\n---\nRead it.\n',
  });

  test('becomes a skills-bundle, and only that is stored', async () => {
    serve({ '/rules.zip': skills });
    const found = await acquire({ kind: 'https', url: `${bench.origin}/rules.zip` });
    expect(found.notes).toEqual([{ code: 'converted', text: expect.stringContaining('2 skills') }]);
    const files = filesIn(found.folder);
    expect(JSON.parse(files['findagent.json'] ?? '')).toMatchObject({
      name: 'rules',
      kind: 'skills-bundle',
      skills: [{ id: 'agents' }, { id: 'review', name: 'Review', description: 'Reads a diff.' }],
    });
    expect(files['skills/review/SKILL.md']).toContain('Read it.');
    expect(await bench.store.list()).toEqual([found.tree]);
    expect((await acquire(found.locked)).tree).toBe(found.tree);
  });

  test('that is canceled while it is stored leaves nothing', async () => {
    serve({ '/rules.zip': skills });
    const controller = new AbortController();
    const onProgress = ({ step }: SourceProgress) => (step === 'unpack' ? controller.abort() : undefined);
    const source = { kind: 'https', url: `${bench.origin}/rules.zip` } as const;
    const error = await leavesNothing(() =>
      acquireSource(source, { services: bench.services, signal: controller.signal, onProgress }),
    );
    expect(error.code).toBe('canceled');
  });
});

describe('a path', () => {
  test('of a folder, a file or an archive gives its files', async () => {
    const folder = join(bench.base, 'pack');
    mkdirSync(join(folder, 'node_modules/x'), { recursive: true });
    writeFileSync(join(folder, 'findagent.json'), manifest);
    writeFileSync(join(folder, 'run.sh'), 'x', { mode: 0o755 });
    writeFileSync(join(folder, 'node_modules/x/y'), 'dependency');
    const fromFolder = await acquire({ kind: 'folder', path: folder });
    expect(filesIn(fromFolder.folder)).toEqual({ 'findagent.json': manifest, 'run.sh': 'x' });
    expect(fromFolder.locked).toEqual({ kind: 'folder', path: folder });
    const fromFile = await acquire({ kind: 'file', path: join(folder, 'findagent.json') });
    expect(filesIn(fromFile.folder)).toEqual({ 'findagent.json': manifest });
    const path = join(bench.base, 'pack.tgz');
    writeFileSync(
      path,
      gzipSync(
        tarOf([
          { name: 'findagent.json', content: manifest },
          { name: 'run.sh', content: 'x', mode: 0o755 },
        ]),
      ),
    );
    const fromArchive = await acquire({ kind: 'archive', path });
    expect(fromArchive.tree).toBe(fromFolder.tree);
    expect(fromArchive.locked).toEqual({ kind: 'archive', path, sha256: sha256(readFileSync(path)) });
    const wrong = await leavesNothing(() => acquire({ kind: 'archive', path, sha256: 'b'.repeat(64) }));
    expect(wrong.code).toBe('integrity');
    expect((await leavesNothing(() => acquire({ kind: 'folder', path }))).code).toBe('not_found');
  });
});

describe('an npm package', () => {
  const archive = tarball({ 'package/findagent.json': manifest, 'package/package.json': '{}' });
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const document = (dist: object = { integrity }, more: object = {}) => ({
    'dist-tags': { latest: '1.4.2' },
    versions: Object.fromEntries(
      ['1.0.0', '1.4.2', '2.0.0'].map((version) => [
        version,
        { dist: { tarball: `https://elsewhere.example.com/@s/p/-/p-${version}.tgz`, ...dist }, ...more },
      ]),
    ),
  });
  const publish = (value: object) =>
    serve({
      '/npm/@s%2fp': JSON.stringify(value),
      '/npm/@s/p/-/p-1.4.2.tgz': archive,
      '/npm/@s/p/-/p-2.0.0.tgz': archive,
    });

  test('resolves a range once, comes from the configured registry only, and is locked by its integrity', async () => {
    publish(document());
    const source = { kind: 'npm', name: '@s/p', range: '^1.0' } as const;
    const found = await acquire(source);
    expect(found.locked).toEqual({ ...source, version: '1.4.2', integrity });
    expect(filesIn(found.folder)).toEqual({ 'findagent.json': manifest, 'package.json': '{}' });
    expect(bench.requests).toEqual(['GET /npm/@s%2fp', 'GET /npm/@s/p/-/p-1.4.2.tgz']);
    expect(await resolveSource(source, { services: bench.services, signal })).toEqual(found.locked);
    expect(bench.requests).toHaveLength(3);
    expect((await acquire({ kind: 'npm', name: '@s/p', range: '2.x' })).locked).toMatchObject({
      version: '2.0.0',
    });
  });

  test('with another content than the registry or the lock says fails and names both hashes', async () => {
    publish(document({ integrity: `sha512-${'A'.repeat(86)}==` }));
    const source = { kind: 'npm', name: '@s/p', range: '^1.0' } as const;
    const error = await leavesNothing(() => acquire(source));
    expect([error.code, error.message]).toEqual(['integrity', expect.stringContaining(`found ${integrity}`)]);
    publish(document());
    const locked = { ...source, version: '1.4.2', integrity: `sha512-${'B'.repeat(86)}==` };
    const changed = await leavesNothing(() => acquire(locked));
    expect(changed.message).toContain(`expected ${locked.integrity}, found ${integrity}`);
    publish(document({ shasum: 'c'.repeat(40) }));
    expect((await leavesNothing(() => acquire(source))).message).toContain(`expected sha1 ${'c'.repeat(40)}`);
  });

  test('without a matching version, or from a registry that answers wrongly, fails clearly', async () => {
    publish(document());
    const none = await leavesNothing(() => acquire({ kind: 'npm', name: '@s/p', range: '>=3' }));
    expect(none).toMatchObject({ code: 'not_found', hint: 'it has 1.0.0, 1.4.2, 2.0.0' });
    for (const answer of ['<html>', '[]', '{"versions":{"1.0.0":{}},"dist-tags":{"latest":"1.0.0"}}']) {
      serve({ '/npm/p': answer });
      const error = await leavesNothing(() => acquire({ kind: 'npm', name: 'p', range: 'latest' }));
      expect(error.code).toMatch(/^(network_failed|not_found)$/);
    }
  });

  test('whose tag was moved is reported, and the version of the lock is followed, or nothing', async () => {
    const tagged = (stable: string) => ({ ...document({ integrity }), 'dist-tags': { stable } });
    publish(tagged('2.0.0'));
    const source = { kind: 'npm', name: '@s/p', range: 'stable' } as const;
    const locked = { ...source, version: '1.4.2', integrity };
    const found = await acquire(locked);
    expect(found.locked).toEqual(locked);
    const text = 'the tag stable of npm:@s/p was moved: the lock has 1.4.2, now it is 2.0.0';
    expect(found.notes).toEqual([{ code: 'moved', text }]);
    publish(tagged('1.4.2'));
    expect((await acquire(locked)).notes).toEqual([]);
    const gone = await leavesNothing(() => acquire({ ...locked, version: '1.3.0' }));
    expect(gone).toMatchObject({
      code: 'integrity',
      message: expect.stringMatching(/expected @s\/p@1\.3\.0, found 1\.4\.2 for stable$/),
    });
  });

  test('that its authors advise against is reported', async () => {
    publish(document({ integrity }, { deprecated: 'use q' }));
    const { notes } = await acquire({ kind: 'npm', name: '@s/p', range: '1.4.2' });
    expect(notes).toEqual([{ code: 'deprecated', text: expect.stringContaining('use q') }]);
  });
});

describe('a Python package', () => {
  const one = wheel('pack', '1.4', 'x = 1\n');
  const sdist = tarball({
    'pack-2.0/findagent.json': manifest,
    'pack-2.0/setup.py': 'raise SystemExit(1)\n',
  });
  const page = (yanked: unknown = false, hash = sha256(one.bytes)) =>
    JSON.stringify({
      files: [
        { filename: one.file, url: `../../files/${one.file}`, hashes: { sha256: hash }, yanked },
        {
          filename: 'pack-2.0.tar.gz',
          url: '../../files/pack-2.0.tar.gz',
          hashes: { sha256: sha256(sdist) },
        },
        { filename: 'other-9.tar.gz', url: '../../files/other-9.tar.gz', hashes: {} },
      ],
    });
  const publish = (text: string, type = 'application/vnd.pypi.simple.v1+json') =>
    serve({
      '/simple/pack/': [type, text],
      [`/files/${one.file}`]: one.bytes,
      '/files/pack-2.0.tar.gz': sdist,
    });
  const source = { kind: 'pypi', name: 'Pack', range: '<2' } as const;

  test('is unpacked from its wheel, or from its source without running it, and locked by its hash', async () => {
    publish(page());
    const found = await acquire(source);
    expect(found.locked).toEqual({ ...source, version: '1.4', file: one.file, sha256: sha256(one.bytes) });
    expect(Object.keys(filesIn(found.folder))).toContain('pack.py');
    const newest = await acquire({ kind: 'pypi', name: 'pack', range: '' });
    expect(newest.locked).toMatchObject({ version: '2.0', file: 'pack-2.0.tar.gz' });
    expect(Object.keys(filesIn(newest.folder)).sort()).toEqual(['findagent.json', 'setup.py']);
    expect(await resolveSource(source, { services: bench.services, signal })).toEqual(found.locked);
  });

  test('is found on an HTML page too', async () => {
    publish(
      `<!DOCTYPE html><a href="../../files/${one.file}#sha256=${sha256(one.bytes)}" data-requires-python="&gt;=3">${one.file}</a>
       <a data-yanked="bad &amp; old" href="../../files/pack-2.0.tar.gz">pack-2.0.tar.gz</a>`,
      'text/html',
    );
    expect((await acquire({ kind: 'pypi', name: 'pack', range: '' })).locked).toMatchObject({
      version: '1.4',
    });
    const withdrawn = await leavesNothing(() => acquire({ kind: 'pypi', name: 'pack', range: '==2.0' }));
    expect(withdrawn.message).toBe(
      'the authors withdrew pack 2.0: bad & old; no other version matches ==2.0',
    );
  });

  test('that was withdrawn is taken only if a lock names it, with a note', async () => {
    publish(page('broken'));
    const error = await leavesNothing(() => acquire(source));
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('broken') });
    const found = await acquire({ ...source, version: '1.4', file: one.file, sha256: sha256(one.bytes) });
    expect(found.notes).toEqual([{ code: 'yanked', text: expect.stringContaining('broken') }]);
  });

  test('with another content than the index or the lock says fails and names both hashes', async () => {
    publish(page(false, 'd'.repeat(64)));
    const error = await leavesNothing(() => acquire(source));
    expect([error.code, error.message]).toEqual([
      'integrity',
      expect.stringContaining(`expected ${'d'.repeat(64)}, found ${sha256(one.bytes)}`),
    ]);
    publish(page());
    const locked = { ...source, version: '1.4', file: one.file, sha256: 'e'.repeat(64) };
    expect((await leavesNothing(() => acquire(locked))).message).toContain(`expected ${'e'.repeat(64)}`);
    const gone = await leavesNothing(() => acquire({ ...locked, file: 'pack-1.3-py3-none-any.whl' }));
    expect(gone.code).toBe('integrity');
  });

  test('may come from a configured folder', async () => {
    const links = join(bench.base, 'links');
    mkdirSync(links);
    writeFileSync(join(links, one.file), one.bytes);
    const { locked } = await acquire(source, bench.with({ indexes: { findLinks: [links] } }));
    expect(locked).toMatchObject({ version: '1.4', sha256: sha256(one.bytes) });
    expect(bench.requests).toEqual([]);
  });
});

test('without a configured index, the installers name their own, without network', async () => {
  const options = { services: bench.with({ indexes: {} }), signal };
  for (const index of [await npmRegistry(options), await pythonIndex(options)]) {
    expect(index.url).toMatch(/^https:\/\/[a-z0-9.-]+\/(?:[a-z]+\/)?$/);
    expect(index.configured).toBeUndefined();
  }
});

test('the password of a configured index is sent to that index only', async () => {
  const seen: string[] = [];
  bench.handler = (request, response) => {
    seen.push(request.headers.authorization ?? 'none');
    const tarball = `${bench.origin}/p.tgz`;
    response.end(
      JSON.stringify({ 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { dist: { tarball } } } }),
    );
  };
  const indexes = { npmRegistry: bench.origin.replace('https://', 'https://me:pass@') };
  await hostErrorOf(acquire({ kind: 'npm', name: 'p', range: 'latest' }, bench.with({ indexes })));
  expect(seen).toEqual(Array(2).fill(`Basic ${Buffer.from('me:pass').toString('base64')}`));
  const index = { url: 'https://a.example.com/', headers: { authorization: 'x' }, credential: true };
  expect(onIndex(index, 'https://b.example.com/p.tgz')).toEqual({ url: 'https://b.example.com/p.tgz' });
});

describe('an image', () => {
  const layer = (parts: Parameters<typeof tarOf>[0]) => gzipSync(tarOf(parts));
  const layers = [
    layer([
      { name: 'dev/null', type: '3' },
      { name: 'bin', type: '2', target: '/usr/bin' },
      { name: 'toolwharf', type: '5' },
      { name: 'toolwharf/findagent.json', content: '{"name":"Old"}' },
      { name: 'toolwharf/gone.txt', content: 'x' },
    ]),
    layer([{ name: './toolwharf/findagent.json', content: manifest }, { name: 'toolwharf/.wh.gone.txt' }]),
  ];
  const digestOf = (bytes: Buffer | string) => `sha256:${sha256(bytes)}`;
  const image = JSON.stringify({ schemaVersion: 2, layers: layers.map((it) => ({ digest: digestOf(it) })) });
  const index = JSON.stringify({
    manifests: [
      {
        digest: digestOf(image),
        platform: { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch },
      },
    ],
  });

  /** A registry without TLS, as on a developer's machine. */
  async function withRegistry(
    work: (host: string, services: SourceServices, bodies: Map<string, string | Buffer>) => Promise<void>,
  ) {
    const bodies = new Map<string, string | Buffer>([
      ['/v2/team/tool/manifests/v1', index],
      [`/v2/team/tool/manifests/${digestOf(index)}`, index],
      [`/v2/team/tool/manifests/${digestOf(image)}`, image],
      ...layers.map((it) => [`/v2/team/tool/blobs/${digestOf(it)}`, it] as const),
    ]);
    const server = createServer((request, response) => {
      const body = bodies.get(request.url ?? '');
      if (body === undefined) response.writeHead(404).end();
      else response.end(body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    try {
      await work(`127.0.0.1:${port}`, bench.with({ granted: [{ host: '127.0.0.1', port }] }), bodies);
    } finally {
      await new Promise((done) => server.close(done));
    }
  }

  test('resolves a tag to a digest, and gives its folder /toolwharf', async () => {
    await withRegistry(async (host, services) => {
      const source = { kind: 'oci', image: `${host}/team/tool`, reference: 'v1' } as const;
      const found = await acquire(source, services);
      expect(found.locked).toEqual({ ...source, digest: digestOf(index) });
      expect(filesIn(found.folder)).toEqual({ 'findagent.json': manifest });
      expect(await resolveSource(source, { services, signal })).toEqual(found.locked);
      const denied = await leavesNothing(() => acquire(source));
      expect(denied.code).toBe('network_denied');
    });
  });

  test('whose tag was moved is reported, and the digest of the lock is followed', async () => {
    await withRegistry(async (host, services, bodies) => {
      const source = {
        kind: 'oci',
        image: `${host}/team/tool`,
        reference: 'v1',
        digest: digestOf(index),
      } as const;
      bodies.set('/v2/team/tool/manifests/v1', image);
      const found = await acquire(source, services);
      expect(found.locked).toEqual(source);
      expect(found.notes).toEqual([
        { code: 'moved', text: expect.stringContaining(`now it is ${digestOf(image)}`) },
      ]);
      bodies.delete(`/v2/team/tool/manifests/${digestOf(index)}`);
      const gone = await leavesNothing(() => acquire(source, services));
      expect(gone).toMatchObject({
        code: 'integrity',
        message: expect.stringContaining(`@${digestOf(index)}; v1 is ${digestOf(image)} now`),
      });
      bodies.set(`/v2/team/tool/manifests/${digestOf(index)}`, `${index} `);
      const changed = await leavesNothing(() => acquire(source, services));
      expect(changed).toMatchObject({
        code: 'integrity',
        message: expect.stringContaining(`expected ${digestOf(index)}`),
      });
    });
  });

  test('with a changed layer, or without the folder, is rejected', async () => {
    await withRegistry(async (host, services, bodies) => {
      const source = { kind: 'oci', image: `${host}/team/tool`, reference: 'v1' } as const;
      bodies.set(`/v2/team/tool/blobs/${digestOf(layers[0] as Buffer)}`, layers[1] as Buffer);
      expect((await leavesNothing(() => acquire(source, services))).code).toBe('integrity');
      const other = layer([{ name: 'etc/x', content: 'x' }]);
      const plain = JSON.stringify({ layers: [{ digest: digestOf(other) }] });
      bodies.set('/v2/team/tool/manifests/v1', plain);
      bodies.set(`/v2/team/tool/blobs/${digestOf(other)}`, other);
      expect((await leavesNothing(() => acquire(source, services))).message).toContain(
        'has no folder /toolwharf',
      );
    });
  });

  test('may need a token that everyone gets', async () => {
    const seen: (string | undefined)[] = [];
    bench.handler = (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', bench.origin);
      if (pathname === '/token') {
        seen.push(searchParams.get('scope') ?? undefined);
        response.end('{"token":"for-everyone"}');
      } else if (request.headers.authorization !== 'Bearer for-everyone')
        response
          .writeHead(401, { 'www-authenticate': `Bearer realm="${bench.origin}/token",service="r"` })
          .end();
      else response.end(image);
    };
    // The host of a TLS registry has a name; this one is reached by its address through the same client.
    const { hostname, port } = new URL(bench.origin);
    const source = { kind: 'oci', image: `${hostname}.nip.test:${port}/team/tool`, reference: 'v1' } as const;
    const http: SourceServices['http'] = {
      ...bench.services.http,
      open: (request) =>
        bench.services.http.open({
          ...request,
          url: request.url.replace('.nip.test', ''),
          reach: { ...request.reach, hosts: bench.services.granted },
        }),
    };
    expect(await resolveSource(source, { services: bench.with({ http }), signal })).toMatchObject({
      digest: digestOf(image),
    });
    expect(seen).toEqual(['repository:team/tool:pull']);
  });
});
