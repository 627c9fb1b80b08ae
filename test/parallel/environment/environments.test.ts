// Real installs of language packages: pip and npm run in the sandbox, and all indexes are on loopback.
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EnvironmentStore, environmentStore } from '../../../src/environment/environment-store.js';
import { removeTree } from '../../../src/environment/file-tree.js';
import {
  type InstalledPackages,
  npmManifest,
  type PackageSources,
} from '../../../src/environment/package-need.js';
import type { HostError } from '../../../src/model/host-error.js';
import { openEgress } from '../../../src/net/egress.js';
import { bubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.js';
import { findNode, findPython } from '../../../src/sandbox/interpreter.js';
import { noSandbox } from '../../../src/sandbox/no-sandbox.js';
import { defaultSandboxLimits, type Mount } from '../../../src/sandbox/sandbox.js';
import { tarball, wheel } from '../../support/archive.js';

const sandbox = bubblewrap();
// The system's Python, because it has pip here.
const python = findPython('3.11', sandbox.user, '/nonexistent');
const node = findNode(undefined, sandbox.user, { path: process.execPath, version: process.versions.node });
const signal = new AbortController().signal;

let base: string;
let links: string;
const servers: Server[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'environments-'));
  chmodSync(base, 0o755);
  links = join(base, 'links');
  mkdirSync(links);
});

afterEach(async () => {
  for (const it of servers.splice(0)) {
    it.closeAllConnections();
    await new Promise((done) => it.close(done));
  }
  await removeTree(base);
});

function store(
  sources: PackageSources = { findLinks: [links] },
  folder = join(base, 'environments'),
): EnvironmentStore {
  return environmentStore({ folder, sandbox, sources, openEgress, newName: () => randomUUID().slice(0, 8) });
}

function needs(...requirements: string[]) {
  return { language: 'python', requirements, interpreter: python } as const;
}

function put(name: string, version: string, source: string, requires: string[] = []): string {
  const made = wheel(name, version, source, requires);
  writeFileSync(join(links, made.file), made.bytes);
  return made.file;
}

async function failureOf(work: Promise<unknown>): Promise<HostError> {
  return work.then(
    () => {
      throw new Error('it should have failed');
    },
    (error: HostError) => error,
  );
}

/** Uses an environment like a tool does: sandboxed and read-only. */
async function use(argv: string[], mounts: Mount[], environment: Record<string, string>) {
  const child = sandbox.spawn({
    argv,
    directory: '/tmp',
    environment: { PATH: '/usr/bin', HOME: '/tmp', ...environment },
    mounts,
    hidden: [],
    limits: defaultSandboxLimits,
    limitAddressSpace: false,
    egress: null,
  });
  child.stdin.end();
  let output = '';
  child.stdout.on('data', (it: Buffer) => {
    output += it;
  });
  child.stderr.on('data', (it: Buffer) => {
    output += it;
  });
  return { code: (await child.exited).code, output: output.trim() };
}

function withPython(installed: InstalledPackages, code: string) {
  const mount = { source: installed.folder, target: '/packages', writable: false };
  return use([python.path, '-c', code], [...python.mounts, mount], { PYTHONPATH: '/packages' });
}

function withNode(installed: InstalledPackages, code: string) {
  const app = join(base, 'app');
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'index.mjs'), code);
  return use(
    [node.path, '/app/index.mjs'],
    [
      ...node.mounts,
      { source: app, target: '/app', writable: false },
      { source: join(installed.folder, 'node_modules'), target: '/node_modules', writable: false },
    ],
    {},
  );
}

async function serve(answer: (path: string, origin: string) => Buffer | string | undefined) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const body = answer(path, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type':
        typeof body !== 'string'
          ? 'application/octet-stream'
          : body.startsWith('{')
            ? 'application/json'
            : 'text/html',
    });
    response.end(body);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

describe('Python packages', () => {
  test('Python packages are installed read-only, with their dependencies', async () => {
    put('shout', '1.0', 'import base_words\ndef loud(): return base_words.word.upper()\n', ['base_words>=2']);
    put('base_words', '2.1', 'word = "hello"\n');
    const steps: string[] = [];
    const installed = await store().prepare(needs('shout==1.0'), { signal, onStep: (it) => steps.push(it) });
    expect(steps).toEqual(['resolve Python packages', 'install Python packages']);
    expect(await withPython(installed, 'import shout; print(shout.loud())')).toEqual({
      code: 0,
      output: 'HELLO',
    });
    const writing = await withPython(installed, 'open("/packages/shout.py", "w")');
    expect(writing.output).toMatch(/Read-only file system|Permission denied/);
    expect(statSync(join(installed.folder, 'shout.py')).mode & 0o777).toBe(0o444);
    expect(statSync(installed.folder).mode & 0o777).toBe(0o555);
    // Compiled at install time, because nothing can be written there later.
    expect(readdirSync(join(installed.folder, '__pycache__')).join()).toContain('shout.');
    const cached = await withPython(
      installed,
      'import shout; print(shout.__spec__.cached, shout.loud.__code__.co_filename)',
    );
    expect(cached.output).toMatch(/^\/packages\/__pycache__\/shout\.\S+ \/packages\/shout\.py$/);
    expect(readdirSync(join(base, 'environments', 'building'))).toEqual([]);
  });

  test('Python packages are resolved once: a newer dependency on the index changes nothing', async () => {
    put('shout', '1.0', 'import base_words\nword = base_words.word\n', ['base_words']);
    put('base_words', '1.0', 'word = "old"\n');
    const first = await store().prepare(needs('shout==1.0'), { signal });
    put('base_words', '2.0', 'word = "new"\n');
    expect(store().find(needs('shout==1.0'))).toEqual(first);
    expect(await store().prepare(needs('shout==1.0'), { signal })).toEqual(first);
    await removeTree(first.folder);
    expect(store().find(needs('shout==1.0'))).toBeUndefined();
    const steps: string[] = [];
    const again = await store().prepare(needs('shout==1.0'), { signal, onStep: (it) => steps.push(it) });
    expect(steps[0]).toBe('download Python packages');
    expect(again).toEqual(first);
    expect((await withPython(again, 'import shout; print(shout.word)')).output).toBe('old');
  });

  test('Python packages whose content differs from the lock are rejected', async () => {
    put('shout', '1.0', 'word = "honest"\n');
    const first = await store().prepare(needs('shout==1.0'), { signal });
    await removeTree(first.folder);
    put('shout', '1.0', 'word = "evil"\n');
    const error = await failureOf(store().prepare(needs('shout==1.0'), { signal }));
    expect(error.code).toBe('integrity');
    expect(error.message).toContain('shout==1.0');
    expect(existsSync(first.folder)).toBe(false);
    // Control: without the lock, the changed wheel is installed.
    rmSync(join(base, 'environments', 'locks'), { recursive: true });
    const other = await store().prepare(needs('shout==1.0'), { signal });
    expect((await withPython(other, 'import shout; print(shout.word)')).output).toBe('evil');
    expect(other.folder).not.toBe(first.folder);
  });

  test('Python packages with the same lock share one folder', async () => {
    put('shout', '1.0', 'import base_words\n', ['base_words']);
    put('base_words', '1.0', 'word = "old"\n');
    const one = await store().prepare(needs('shout==1.0'), { signal });
    const other = await store().prepare(needs('base_words==1.0', 'shout==1.0'), { signal });
    expect(other).toEqual(one);
    expect(readdirSync(join(base, 'environments', 'installed'))).toHaveLength(1);
    expect(readdirSync(join(base, 'environments', 'locks'))).toHaveLength(2);
  });

  test('two simultaneous requests for the same packages install them once', async () => {
    put('shout', '1.0', 'word = "x"\n');
    let started = 0;
    const spawn: typeof sandbox.spawn = (command) => {
      started += 1;
      return sandbox.spawn(command);
    };
    const shared = environmentStore({
      folder: join(base, 'environments'),
      sandbox: { ...sandbox, spawn },
      sources: { findLinks: [links] },
      openEgress,
      newName: () => randomUUID().slice(0, 8),
    });
    const [one, other] = await Promise.all([
      shared.prepare(needs('shout==1.0'), { signal }),
      shared.prepare(needs('shout==1.0'), { signal }),
    ]);
    expect(other).toEqual(one);
    // Fetch, install and compile, once each.
    expect(started).toBe(3);
  });

  test('an install continues for one caller when another caller cancels', async () => {
    put('shout', '1.0', 'word = "x"\n');
    const shared = store();
    const leaver = new AbortController();
    const steps: string[] = [];
    const onStep = (it: string) => steps.push(it);
    const left = failureOf(shared.prepare(needs('shout==1.0'), { signal: leaver.signal, onStep }));
    const stayed = shared.prepare(needs('shout==1.0'), { signal, onStep });
    setTimeout(() => leaver.abort(), 50);
    expect((await left).code).toBe('canceled');
    expect(existsSync((await stayed).folder)).toBe(true);
    expect(new Set(steps).size).toBe(2);
    expect(readdirSync(join(base, 'environments', 'building'))).toEqual([]);
  });

  test('an install that no caller waits for stops at once and leaves nothing behind', async () => {
    // An index that accepts the request and never responds.
    const asked: string[] = [];
    const server = createServer((request) => void asked.push(request.url ?? ''));
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const made = store({ pythonIndex: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/` });
    const controller = new AbortController();
    const left = failureOf(made.prepare(needs('shout==1.0'), { signal: controller.signal }));
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1);
    controller.abort();
    expect((await left).code).toBe('canceled');
    await expect
      .poll(() => readdirSync(join(base, 'environments', 'building')), { timeout: 3000 })
      .toEqual([]);
    expect(made.find(needs('shout==1.0'))).toBeUndefined();
  });

  test('an unfinished install of a dead host is cleaned up, and one of a running host stays', async () => {
    put('shout', '1.0', 'word = "x"\n');
    const building = join(base, 'environments', 'building');
    // No process has such a large PID.
    mkdirSync(join(building, '4999999.dead', 'install'), { recursive: true });
    mkdirSync(join(building, `${process.pid}.before`), { recursive: true });
    mkdirSync(join(building, `${process.ppid}.alive`), { recursive: true });
    await store().prepare(needs('shout==1.0'), { signal });
    expect(readdirSync(building)).toEqual([`${process.ppid}.alive`]);
  });

  test('a package that exists only as source is rejected with its name', async () => {
    const ran = join(base, 'ran');
    writeFileSync(
      join(links, 'crafty-1.0.tar.gz'),
      tarball({
        'crafty-1.0/setup.py': `open(${JSON.stringify(ran)}, "w")\nfrom setuptools import setup\nsetup(name="crafty", version="1.0")\n`,
        'crafty-1.0/PKG-INFO': 'Metadata-Version: 2.1\nName: crafty\nVersion: 1.0\n',
      }),
    );
    const error = await failureOf(store().prepare(needs('crafty==1.0'), { signal }));
    expect(error.code).toBe('not_supported');
    expect(error.message).toMatch(/only a source distribution of crafty==1\.0 was found/);
    expect(existsSync(ran)).toBe(false);
  });

  test('an error names the package that does not exist or does not fit this Python version', async () => {
    const error = await failureOf(store().prepare(needs('nowhere==9.9'), { signal }));
    expect(error).toMatchObject({ code: 'not_found' });
    expect(error.message).toContain('nowhere==9.9');
    const made = wheel('older', '1.0', '');
    writeFileSync(join(links, 'older-1.0-cp27-none-any.whl'), made.bytes);
    expect((await failureOf(store().prepare(needs('older==1.0'), { signal }))).message).toContain(
      'older==1.0',
    );
  });

  test.each(['--index-url==1.0', 'x>=1', 'git+https://example.com/x', 'x==1.0\n', '-r==1', 'x==1.0rc'])(
    'a requirement that is not exact never reaches the installer: %j',
    async (requirement) => {
      const error = await failureOf(store().prepare(needs(requirement), { signal }));
      expect(error.code).toBe('invalid_manifest');
    },
  );

  test('Python packages come from the configured index, and no other server is reached', async () => {
    const made = wheel('shout', '1.0', 'word = "from the index"\n');
    const elsewhere = await serve(() => made.bytes);
    const index = await serve((path) => {
      if (path === '/simple/shout/') return `<a href="/files/${made.file}">${made.file}</a>`;
      if (path === `/files/${made.file}`) return made.bytes;
      if (path === '/simple/far/')
        return `<a href="${elsewhere.url}far-1.0-py3-none-any.whl">far-1.0-py3-none-any.whl</a>`;
      return undefined;
    });
    const indexes = { pythonIndex: `${index.url}simple/` };
    const installed = await store(indexes).prepare(needs('shout==1.0'), { signal });
    expect((await withPython(installed, 'import shout; print(shout.word)')).output).toBe('from the index');
    const error = await failureOf(store(indexes).prepare(needs('far==1.0'), { signal }));
    expect(error.code).toBe('network_denied');
    expect(error.message).toContain(new URL(elsewhere.url).host);
    expect(elsewhere.asked).toEqual([]);
  });

  test('an index that does not respond is reported with its address', async () => {
    const index = await serve(() => undefined);
    const [server] = servers.splice(0);
    await new Promise((done) => server?.close(done));
    const error = await failureOf(
      store({ pythonIndex: `${index.url}simple/` }).prepare(needs('shout==1.0'), { signal }),
    );
    expect(error.code).toBe('network_failed');
    expect(error.message).toContain(new URL(index.url).host);
  });

  test('a source folder that is missing or relative is a configuration error', async () => {
    for (const it of [join(base, 'none'), 'links']) {
      const error = await failureOf(store({ findLinks: [it] }).prepare(needs('shout==1.0'), { signal }));
      expect(error.code).toBe('invalid_config');
      expect(error.message).toContain(it);
    }
  });

  test('a Python without pip is reported with the command that installs pip', async () => {
    put('shout', '1.0', '');
    const nothing = join(base, 'nothing');
    mkdirSync(nothing);
    const mount = { source: nothing, target: '/usr/lib/python3/dist-packages', writable: false };
    const bare = { ...python, mounts: [...python.mounts, mount] };
    const error = await failureOf(store().prepare({ ...needs('shout==1.0'), interpreter: bare }, { signal }));
    expect(error.code).toBe('runtime_missing');
    expect(error.hint).toBe('sudo apt-get install python3-pip');
  });

  test('Python packages are installed in the same way when the operator turned the sandbox off', async () => {
    put('shout', '1.0', 'word = "x"\n');
    const made = await environmentStore({
      folder: join(base, 'environments'),
      sandbox: noSandbox(),
      sources: { findLinks: [links] },
      openEgress,
      newName: () => randomUUID().slice(0, 8),
    }).prepare(needs('shout==1.0'), { signal });
    expect(store().find(needs('shout==1.0'))).toEqual(made);
    expect((await withPython(made, 'import shout; print(shout.word)')).output).toBe('x');
  });

  test('a damaged lock is reported and not silently resolved again', async () => {
    put('shout', '1.0', '');
    await store().prepare(needs('shout==1.0'), { signal });
    const locks = join(base, 'environments', 'locks');
    writeFileSync(join(locks, readdirSync(locks)[0] as string), '{"language":"python"');
    expect((await failureOf(store().prepare(needs('shout==1.0'), { signal }))).code).toBe('state_unusable');
  });
});

interface Published {
  readonly manifest: Record<string, unknown>;
  bytes: Buffer;
  integrity: string;
}

function publish(manifest: Record<string, unknown>, files: Record<string, string>): Published {
  const listed = Object.fromEntries(Object.entries(files).map(([name, text]) => [`package/${name}`, text]));
  const bytes = tarball({ 'package/package.json': JSON.stringify(manifest), ...listed });
  return { manifest, bytes, integrity: integrityOf(bytes) };
}

function integrityOf(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

/** A registry with the HTTP interface that npm uses. */
function registry(packages: readonly Published[]) {
  return serve((path, origin) => {
    const archive = packages.find(
      (it) => path === `/${it.manifest.name}/-/${it.manifest.name}-${it.manifest.version}.tgz`,
    );
    if (archive !== undefined) return archive.bytes;
    const versions = packages.filter((it) => path === `/${it.manifest.name}`);
    if (versions.length === 0) return undefined;
    const name = path.slice(1);
    return JSON.stringify({
      name,
      'dist-tags': { latest: versions.at(-1)?.manifest.version },
      versions: Object.fromEntries(
        versions.map(({ manifest, integrity }) => [
          manifest.version,
          {
            ...manifest,
            dist: { integrity, tarball: `${origin}/${name}/-/${name}-${manifest.version}.tgz` },
          },
        ]),
      ),
    });
  });
}

const mark = 'a-script-ran';
const loud = publish(
  { name: 'loud', version: '1.0.0', main: 'index.js', dependencies: { words: '^1.0.0' } },
  { 'index.js': 'module.exports = () => require("words").word.toUpperCase();\n' },
);
const words = publish(
  {
    name: 'words',
    version: '1.2.0',
    main: 'index.js',
    bin: { words: 'cli.js' },
    scripts: { preinstall: `echo > ${mark}`, install: `echo > ${mark}`, postinstall: `echo > ${mark}` },
    hasInstallScript: true,
  },
  { 'index.js': 'exports.word = "hello";\n', 'cli.js': '#!/usr/bin/env node\nconsole.log("words");\n' },
);

function npmNeeds(manifest: Uint8Array | Record<string, unknown>, lock: unknown = null) {
  const bytes = manifest instanceof Uint8Array ? manifest : Buffer.from(JSON.stringify(manifest));
  return {
    language: 'node',
    manifest: bytes,
    lock: lock === null ? null : Buffer.from(JSON.stringify(lock)),
    interpreter: node,
  } as const;
}

function lockOf(...entries: [string, Record<string, unknown>][]) {
  return {
    name: 'mine',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'mine', dependencies: { loud: '1.0.0' } }, ...Object.fromEntries(entries) },
  };
}

describe('npm packages', () => {
  test('npm packages are resolved, locked and installed without running any script', async () => {
    const { url } = await registry([loud, words]);
    const steps: string[] = [];
    const need = npmNeeds(npmManifest(['loud@1.0.0']));
    const installed = await store({ npmRegistry: url }).prepare(need, {
      signal,
      onStep: (it) => steps.push(it),
    });
    expect(steps).toEqual(['resolve npm packages', 'install npm packages']);
    const { output, code } = await withNode(installed, 'import loud from "loud"; console.log(loud());');
    expect({ output, code }).toEqual({ output: 'HELLO', code: 0 });
    const names = readdirSync(installed.folder, { recursive: true }) as string[];
    expect(names.filter((it) => it.includes(mark))).toEqual([]);
    expect(names).toContain('node_modules/.bin/words');
    expect(statSync(join(installed.folder, 'node_modules', 'loud', 'index.js')).mode & 0o222).toBe(0);
    expect(store({ npmRegistry: url }).find(need)).toEqual(installed);
  });

  test('npm packages keep the lock that was made for them', async () => {
    const packages = [loud, words];
    const { url } = await registry(packages);
    const need = npmNeeds(npmManifest(['loud@1.0.0']));
    const first = await store({ npmRegistry: url }).prepare(need, { signal });
    packages.push(
      publish(
        { name: 'words', version: '1.3.0', main: 'index.js' },
        { 'index.js': 'exports.word = "new";\n' },
      ),
    );
    await removeTree(first.folder);
    const again = await store({ npmRegistry: url }).prepare(need, { signal });
    expect(again).toEqual(first);
    expect((await withNode(again, 'import loud from "loud"; console.log(loud());')).output).toBe('HELLO');
  });

  test('npm packages use the lock of the package, whatever URLs it contains', async () => {
    const { url } = await registry([loud, words]);
    const lock = lockOf(
      [
        'node_modules/loud',
        {
          version: '1.0.0',
          resolved: 'https://registry.invalid/loud/-/loud-1.0.0.tgz',
          integrity: loud.integrity,
          dependencies: { words: '^1.0.0' },
        },
      ],
      [
        'node_modules/words',
        { version: '1.2.0', integrity: words.integrity, hasInstallScript: true, bin: { words: 'cli.js' } },
      ],
    );
    const manifest = {
      name: 'mine',
      scripts: { postinstall: `echo > ${mark}` },
      dependencies: { loud: '1.0.0' },
    };
    const installed = await store({ npmRegistry: url }).prepare(npmNeeds(manifest, lock), { signal });
    expect((await withNode(installed, 'import loud from "loud"; console.log(loud());')).output).toBe('HELLO');
    expect(
      (readdirSync(installed.folder, { recursive: true }) as string[]).filter((it) => it.includes(mark)),
    ).toEqual([]);
    // Another package with the same dependencies shares the folder.
    const renamed = { ...manifest, name: 'other', version: '9.0.0' };
    expect(store({ npmRegistry: url }).find(npmNeeds(renamed, lock))).toEqual(installed);
  });

  test('npm packages whose integrity differs from the lock are rejected', async () => {
    const { url } = await registry([loud, words]);
    const wrong = integrityOf(Buffer.from('something else'));
    const lock = lockOf(
      ['node_modules/loud', { version: '1.0.0', integrity: wrong, dependencies: { words: '^1.0.0' } }],
      ['node_modules/words', { version: '1.2.0', integrity: words.integrity }],
    );
    const need = npmNeeds({ dependencies: { loud: '1.0.0' } }, lock);
    const error = await failureOf(store({ npmRegistry: url }).prepare(need, { signal }));
    expect(error.code).toBe('integrity');
    expect(store({ npmRegistry: url }).find(need)).toBeUndefined();
  });

  test('npm packages whose archive differs from the integrity of the registry are rejected', async () => {
    const evil = {
      ...words,
      bytes: tarball({ 'package/package.json': JSON.stringify(words.manifest), 'package/index.js': 'evil' }),
    };
    const { url } = await registry([loud, evil]);
    const error = await failureOf(
      store({ npmRegistry: url }).prepare(npmNeeds(npmManifest(['loud@1.0.0'])), { signal }),
    );
    expect(error.code).toBe('integrity');
  });

  test.each([
    ['a git dependency', { dependencies: { x: 'git+https://example.com/x.git' } }, null, 'not_supported'],
    ['a short git dependency', { dependencies: { x: 'someone/x' } }, null, 'not_supported'],
    ['a URL', { dependencies: { x: 'https://example.com/x.tgz' } }, null, 'not_supported'],
    ['a folder', { dependencies: { x: 'file:../x' } }, null, 'not_supported'],
    ['an archive in its folder', { dependencies: { x: 'x.tgz' } }, null, 'not_supported'],
    ['an alias to git', { dependencies: { x: 'npm:x@git+ssh://example.com/x' } }, null, 'not_supported'],
    [
      'an override to git',
      { dependencies: {}, overrides: { x: { y: 'github:a/b' } } },
      null,
      'not_supported',
    ],
    ['workspaces', { workspaces: ['a'] }, null, 'not_supported'],
    [
      'git in the lock',
      { dependencies: { loud: '1.0.0' } },
      lockOf([
        'node_modules/loud',
        { version: '1.0.0', resolved: 'git+ssh://git@example.com/x.git#abc', integrity: loud.integrity },
      ]),
      'not_supported',
    ],
    [
      'a link in the lock',
      { dependencies: { loud: '1.0.0' } },
      lockOf(['node_modules/loud', { link: true, resolved: 'x' }]),
      'not_supported',
    ],
    [
      'a path outside of node_modules',
      { dependencies: { loud: '1.0.0' } },
      lockOf(['node_modules/../../x', { version: '1.0.0', integrity: loud.integrity }]),
      'not_supported',
    ],
    [
      'no integrity in the lock',
      { dependencies: { loud: '1.0.0' } },
      lockOf(['node_modules/loud', { version: '1.0.0' }]),
      'integrity',
    ],
    [
      'a weak integrity',
      { dependencies: { loud: '1.0.0' } },
      lockOf(['node_modules/loud', { version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }]),
      'integrity',
    ],
    ['an old lock', { dependencies: {} }, { lockfileVersion: 1, dependencies: {} }, 'not_supported'],
  ] as const)(
    'npm packages are rejected before anything is fetched for %s',
    async (_, manifest, lock, code) => {
      const server = await registry([loud, words]);
      const error = await failureOf(
        store({ npmRegistry: server.url }).prepare(npmNeeds(manifest, lock), { signal }),
      );
      expect(error.code).toBe(code);
      expect(server.asked).toEqual([]);
    },
  );

  test('an npm package with a git dependency is rejected and not installed', async () => {
    const deep = publish(
      { name: 'deep', version: '1.0.0', dependencies: { x: 'git+https://127.0.0.1:9/x.git' } },
      {},
    );
    const { url } = await registry([deep]);
    const need = npmNeeds(npmManifest(['deep@1.0.0']));
    const error = await failureOf(store({ npmRegistry: url }).prepare(need, { signal }));
    expect(error.code).toBe('network_denied');
    expect(error.message).toContain('127.0.0.1:9');
    expect(store({ npmRegistry: url }).find(need)).toBeUndefined();
  });

  test('an error names the missing npm package or the silent registry', async () => {
    const { url } = await registry([]);
    const need = npmNeeds(npmManifest(['nowhere@1.0.0']));
    const missing = await failureOf(store({ npmRegistry: url }).prepare(need, { signal }));
    expect(missing.code).toBe('not_found');
    expect(missing.message).toContain('nowhere');
    const [server] = servers.splice(0);
    server?.closeAllConnections();
    await new Promise((done) => server?.close(done));
    const silent = await failureOf(store({ npmRegistry: url }).prepare(need, { signal }));
    expect(silent.code).toBe('network_failed');
  });

  test('only the registry is asked for npm packages, and the lock contains no URL', async () => {
    const { url, asked } = await registry([loud, words]);
    await store({ npmRegistry: url }).prepare(npmNeeds(npmManifest(['loud@1.0.0'])), { signal });
    expect(asked.every((it) => /^\/(loud|words)/.test(it))).toBe(true);
    expect(
      readFileSync(
        join(base, 'environments', 'locks', readdirSync(join(base, 'environments', 'locks'))[0] as string),
        'utf8',
      ),
    ).not.toContain(url);
  });
});

test('removing deletes what only the named locks use, and what a killed host left of writing them', async () => {
  put('alpha', '1.0.0', 'value = 1');
  const environments = store();
  const options = { signal, onStep: () => {} };
  const [loose, exact] = [needs('alpha==1.0.0'), needs('alpha==1.0')];
  const { folder } = await environments.prepare(loose, options);
  expect((await environments.prepare(exact, options)).folder).toBe(folder);
  const place = environments.place(loose);
  writeFileSync(`${place}.toolwharf-0011223344556677`, '{');
  await environments.remove([place]);
  expect(readdirSync(join(base, 'environments/locks'))).toEqual([
    environments.place(exact).split('/').at(-1),
  ]);
  expect(existsSync(folder)).toBe(true);
  // A host that was killed here has moved the folder, and the lock still says what to do.
  await removeTree(folder);
  for (const it of [loose, exact]) await environments.remove([environments.place(it)]);
  for (const it of ['locks', 'installed', 'building'])
    expect(readdirSync(join(base, 'environments', it))).toEqual([]);
});

describe('a lock from another machine', () => {
  test('installs exactly what it says, and nothing else may be there', async () => {
    put('greeting', '1.0', "text = 'hello'");
    const need = needs('greeting==1.0');
    const first = store();
    expect(first.lockOf(need)).toBeUndefined();
    await first.prepare(need, { signal });
    const lock = first.lockOf(need);
    expect(lock).toMatchObject({ requirements: ['greeting==1.0'], lock: { wheels: [{ name: 'greeting' }] } });
    const locks = [lock as NonNullable<typeof lock>];

    const second = store(undefined, join(base, 'second'));
    await second.useLock(need, locks);
    const installed = await second.prepare(need, { signal });
    expect((await withPython(installed, 'import greeting; print(greeting.text)')).output).toBe('hello');
    await second.useLock(need, locks);

    // The index has other content for the same version now.
    put('greeting', '1.0', "text = 'changed'");
    const third = store(undefined, join(base, 'third'));
    await third.useLock(need, locks);
    expect((await failureOf(third.prepare(need, { signal }))).code).toBe('integrity');
    // Control: without the lock it is installed.
    const fourth = store(undefined, join(base, 'fourth'));
    await fourth.prepare(need, { signal });
    const other = await failureOf(fourth.useLock(need, locks));
    expect([other.code, other.message.match(/[0-9a-f]{64}/g)?.length]).toEqual(['integrity', 2]);
    const elsewhere = locks.map((it) => ({ ...it, lock: { ...it.lock, platform: 'linux-other' } }));
    for (const given of [[], elsewhere, locks.map((it) => ({ ...it, requirements: ['greeting==2.0'] }))])
      expect((await failureOf(store(undefined, join(base, 'fifth')).useLock(need, given))).code).toBe(
        'integrity',
      );
  });
});
