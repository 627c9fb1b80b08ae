// Two servers of one registry that share a listing in a real PostgreSQL: what one publishes, the other one finds.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { parsePackageName } from '../../../src/registry/names/package-name.js';
import {
  quarantineRelease,
  releaseFromQuarantine,
} from '../../../src/registry/repository/release-quarantine.js';
import {
  openRegistryServerParts,
  type RegistryServerParts,
} from '../../../src/registry/server/server-parts.js';
import { parseArguments } from '../../../src/serve/cli/command/arguments.js';
import { registryCommand } from '../../../src/serve/cli/commands/registry.js';
import { openRegistryServer, type RegistryServer } from '../../../src/serve/registry/registry-server.js';
import { noPostgres, type Postgres, startPostgres } from '../../support/postgres.js';
import { recipe } from '../../support/registry-recipe.js';
import { RegistryServerBench } from '../../support/registry-server.js';
import { testTerminal } from '../../support/terminal.js';
import { temporaryFolder } from '../../support/toolwharf.js';

describe.skipIf(noPostgres !== '')(`a registry with PostgreSQL${noPostgres}`, () => {
  let postgres: Postgres;
  const bench = new RegistryServerBench();
  let reader: { readonly parts: RegistryServerParts; readonly server: RegistryServer };

  beforeAll(async () => {
    postgres = await startPostgres();
    await bench.open({ postgres: postgres.url });
    const parts = await openRegistryServerParts({
      ...{ folder: bench.registry.folder, data: `${bench.data}-2`, formats: builtInFormats },
      ...{ online: undefined, postgres: postgres.url, now: () => bench.registry.clock.now },
    });
    const server = await openRegistryServer({
      ...{ folder: bench.registry.folder, port: 0, isPrivate: false, onBug: (it) => bench.bugs.push(it) },
      ...parts,
    });
    reader = { parts, server };
  });
  afterAll(async () => {
    await reader?.server.close();
    await reader?.parts.close();
    await bench.close();
    await postgres?.close();
    expect(bench.bugs).toEqual([]);
  });

  const ask = async (path: string) => {
    const answer = await fetch(`${reader.server.url}${path}`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const found = async (words: string) => {
    const { body } = await ask(`/api/v1/search?q=${words}`);
    return (body.packages as { name: string; version: string }[]).map((it) => `${it.name} ${it.version}`);
  };

  test('a release is published at one server, and found, listed and read at the other one', async () => {
    await bench.registry.approve('shop-hours');
    const token = bench.token('shop-hours');
    for (const version of ['1.0.0', '1.1.0'])
      expect(await bench.publish('shop-hours', version, recipe('shop-hours', version), token)).toEqual({
        status: 'published',
      });
    await expect.poll(() => found('opening')).toEqual(['shop-hours 1.1.0']);
    const { body } = await ask('/v0.1/servers/shop-hours%2Fshop-hours/versions');
    expect((body.servers as unknown[]).length).toBe(2);
  });

  test('a quarantine is seen by both, and ends with the withdrawal that was there before', async () => {
    const { registry } = bench;
    await registry.yank('shop-hours', '1.1.0', 'wrong hours');
    const release = { name: parsePackageName('shop-hours'), version: '1.1.0' };
    await registry.repository.change(registry.keys.online, (change) =>
      quarantineRelease(change, { ...release, reason: 'it reads mail' }),
    );
    const status = async () => {
      const { body } = await ask('/v0.1/servers/shop-hours%2Fshop-hours/versions/1.1.0');
      const meta = body._meta as Record<string, { status: string }>;
      return meta['io.modelcontextprotocol.registry/official']?.status;
    };
    await expect.poll(status).toBe('deleted');
    expect(await found('opening')).toEqual(['shop-hours 1.0.0']);
    await registry.repository.change(registry.keys.online, (change) =>
      releaseFromQuarantine(change, { ...release, reason: 'it does not' }),
    );
    await expect.poll(status).toBe('deprecated');
  });

  test('no question makes the database fail', async () => {
    for (const text of ['%00', '%27', "a'--", '%5C', 'a%00b', '%F0%9F%A6%80', '(', ':*', '<->'])
      for (const path of [
        `/api/v1/search?q=${text}`,
        `/v0.1/servers?search=${text}`,
        `/v0.1/servers?cursor=a:${text}`,
        `/v0.1/servers?version=${text}`,
        `/v0.1/servers/${text}/versions`,
        `/v0.1/servers/a%2Fb/versions/${text}`,
        `/server-cards/${text}`,
      ])
        expect([200, 400, 404], path).toContain((await ask(path)).status);
    expect(bench.bugs).toEqual([]);
  });

  test('--database on the command line counts more than the variable', async () => {
    const { path, remove } = temporaryFolder();
    const serve = (words: readonly string[]) => {
      const gone = 'postgres://test@127.0.0.1:1/postgres';
      const terminal = testTerminal({ cwd: path, environment: { TOOLWHARF_REGISTRY_DATABASE: gone } });
      const args = parseArguments(registryCommand, words);
      return registryCommand.run(args, { ...terminal, signal: AbortSignal.abort() });
    };
    try {
      expect(await serve(['init', 'registry'])).toBe(0);
      const words = ['serve', 'registry', '--port', '0'];
      await expect(serve(words)).rejects.toMatchObject({ code: 'unavailable' });
      expect(await serve([...words, '--database', postgres.url])).toBe(0);
    } finally {
      remove();
    }
  });

  test('a database that is gone stops a server at its start', async () => {
    await expect(
      openRegistryServerParts({
        ...{ folder: bench.registry.folder, data: `${bench.data}-3`, formats: builtInFormats },
        ...{ online: undefined, postgres: 'postgres://test@127.0.0.1:1/postgres', now: Date.now },
      }),
    ).rejects.toMatchObject({ code: 'unavailable' });
  });
});
