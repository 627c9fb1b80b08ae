// What the registry bench measures, with the code of this tree.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { searchPackages, updateSearchIndex } from '../../src/registry/client/package-search.js';
import { assertReleaseLogged, RegistryClient } from '../../src/registry/client/registry-client.js';
import { RegistryStore } from '../../src/registry/client/registry-store.js';
import { RegistryView } from '../../src/registry/client/registry-view.js';
import { chooseRelease } from '../../src/registry/client/release-choice.js';
import { newRegistrySigner, type RegistrySigner } from '../../src/registry/metadata/registry-key.js';
import { parsePackageName, releasePath } from '../../src/registry/names/package-name.js';
import { writeBundleArchive } from '../../src/registry/repository/bundle-archive.js';
import { fileEntryOfPath } from '../../src/registry/repository/file-entry.js';
import {
  approveNamespace,
  namespaceIn,
  signNamespace,
} from '../../src/registry/repository/namespace-approval.js';
import { createRepository, defaultBins, defaultDays } from '../../src/registry/repository/new-repository.js';
import { RegistryRepository } from '../../src/registry/repository/registry-repository.js';
import { acceptNamespace, withReleases } from '../../src/registry/repository/release-publication.js';
import { checkRepository } from '../../src/registry/repository/repository-check.js';
import { folderTransport } from '../../src/registry/transport/folder-transport.js';
import type { RegistryTransport } from '../../src/registry/transport/registry-transport.js';
import { newRegistryKeys } from './registry-workbench.js';

interface BenchRelease {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly tools: readonly string[];
}

interface BenchNamespace {
  readonly namespace: string;
  readonly releases: readonly BenchRelease[];
}

const startedAt = Date.now();

export async function smallArchive(): Promise<Buffer> {
  return writeBundleArchive([{ path: 'manifest.json', executable: false, bytes: Buffer.from('{}') }]);
}

export async function largeBench(base: string) {
  const keys = newRegistryKeys();
  const folder = join(base, 'registry');
  const repository = new RegistryRepository({
    folder,
    lockFolder: join(base, 'lock'),
    now: () => startedAt,
    durable: false,
  });
  await createRepository(repository, {
    logName: 'bench.example',
    root: { signers: keys.root, threshold: 2 },
    targets: { signers: keys.targets, threshold: 1 },
    online: keys.online,
    days: defaultDays,
    bins: defaultBins,
    witnesses: { keys: [], threshold: 0 },
    now: startedAt,
  });
  const signers = new Map<string, RegistrySigner>();
  return {
    async publish(namespaces: readonly BenchNamespace[], archive: string): Promise<void> {
      const bundle = await fileEntryOfPath(archive);
      await repository.change(keys.online, async (change) => {
        const { bins, root } = change.view;
        for (const { namespace, releases } of namespaces) {
          let signer = signers.get(namespace);
          if (signer === undefined) {
            signer = newRegistrySigner();
            signers.set(namespace, signer);
            await approveNamespace(change, {
              namespace,
              keys: [signer.key],
              threshold: 1,
              targetsSigners: keys.targets,
            });
          }
          const found = await namespaceIn(change, namespace);
          if (found === undefined) throw new Error('not approved');
          const entries = releases.map((it) => ({
            ...it,
            name: parsePackageName(it.name),
            bundle,
            statements: undefined,
          }));
          const plan = { role: found.delegation.name, bins, days: root.document.days, now: change.now };
          const bytes = signNamespace(withReleases(found.document, entries, plan), [signer]);
          const files = new Map(
            entries.map(({ name, version, description, tags, tools }) => [
              releasePath({ name, version }, bins),
              {
                bundle: archive,
                summary: { title: name.name ?? '', description, format: 'patch', tags, tools },
              },
            ]),
          );
          await acceptNamespace(change, namespace, bytes, files);
        }
      });
    },
    /** A client reads the present state and one namespace, and keeps what it trusts. */
    async remember(namespace: string, memory: string): Promise<void> {
      const { client, store } = clientOf(base, memory, folderTransport(folder));
      await client.namespace(await client.update(), namespace);
      store.close();
    },
  };
}

/** What it costs to find one package, with the proof that it is in the log. */
export async function behindClient(base: string, memory: string, name: string) {
  const files: [string, number][] = [];
  const transport = counted(folderTransport(join(base, 'registry')), files);
  const { client, store } = clientOf(base, memory, transport);
  const look = async () => {
    const start = process.cpuUsage();
    const state = await client.update();
    const releases = (await client.namespace(state, parsePackageName(name).namespace)) ?? [];
    const chosen = chooseRelease(
      releases.filter((it) => it.release.name.text === name),
      'latest',
    );
    if (chosen.kind !== 'found') throw new Error('the package was not found');
    await assertReleaseLogged(state.view, chosen.found.release);
    const used = process.cpuUsage(start);
    return (used.user + used.system) / 1000;
  };
  const processorMs = await look();
  const transferred = [...files];
  const againMs = await look();
  store.close();
  return {
    files: transferred,
    bytes: transferred.reduce((all, [, size]) => all + size, 0),
    processorMs,
    againMs,
  };
}

export async function searchClient(base: string, queries: readonly string[]) {
  const files: [string, number][] = [];
  const transport = counted(folderTransport(join(base, 'registry')), files);
  rmSync(join(base, 'search-memory'), { recursive: true, force: true });
  const { client, store } = clientOf(base, join(base, 'search-memory'), transport);
  const start = performance.now();
  await updateSearchIndex(client, await client.update());
  const indexMs = performance.now() - start;
  const parts = files.filter(([path]) => path.startsWith('targets/index/')).map(([, size]) => size);
  const times = queries.map((it) => {
    const [before, used] = [performance.now(), process.cpuUsage()];
    searchPackages(store, it, 20);
    const { user, system } = process.cpuUsage(used);
    return { wall: performance.now() - before, processor: (user + system) / 1000 };
  });
  store.close();
  const sorted = times.map((it) => it.wall).toSorted((a, b) => a - b);
  const processor = times.map((it) => it.processor).toSorted((a, b) => a - b);
  return {
    count: times.length,
    processor50: processor[Math.floor(processor.length / 2)] as number,
    p50: sorted[Math.floor(sorted.length / 2)] as number,
    p95: sorted[Math.floor(sorted.length * 0.95)] as number,
    indexMs,
    indexBytes: parts.reduce((all, it) => all + it, 0),
    partBytes: Math.max(...parts),
  };
}

export async function checkLarge(base: string) {
  const start = performance.now();
  const view = await RegistryView.open({
    transport: folderTransport(join(base, 'registry')),
    trusted: { root: readFileSync(join(base, 'registry/metadata/1.root.json')), role: () => undefined },
    now: startedAt,
  });
  const { problems } = await checkRepository(view);
  return { ms: performance.now() - start, problems: problems.length };
}

function clientOf(base: string, memory: string, transport: RegistryTransport) {
  mkdirSync(memory, { recursive: true });
  const store = RegistryStore.open(join(memory, 'registry.db'));
  const file = readFileSync(join(base, 'registry/metadata/1.root.json'));
  const client = new RegistryClient({
    name: 'bench',
    transport,
    root: { file },
    store,
    now: () => startedAt,
    acceptExpired: false,
  });
  return { client, store };
}

function counted(transport: RegistryTransport, files: [string, number][]): RegistryTransport {
  return {
    ...transport,
    async read(path, maxBytes) {
      const bytes = await transport.read(path, maxBytes);
      if (bytes !== undefined) files.push([path, bytes.length]);
      return bytes;
    },
  };
}
