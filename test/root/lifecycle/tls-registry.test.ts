// An image registry over TLS whose certificate a private authority signed: net.ca_file makes it trusted, for the host and
// for the container engine.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containerPackage, openContainerBench } from '../../support/container-bench.js';
import { type ImageRegistry, imageRegistry, noRegistry } from '../../support/image-registry.js';
import { loopbackTls } from '../../support/loopback-tls.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const { containerBench, skipped } = openContainerBench();
const missing = `${skipped}${noRegistry}`;
const by = 'operator';

describe.skipIf(missing !== '')(`an image registry with a private authority${missing}`, () => {
  const tls = missing === '' ? loopbackTls() : undefined;
  const others = missing === '' ? loopbackTls() : undefined;
  let registry: ImageRegistry;
  let plain: ImageRegistry;
  let bench: Workbench;

  beforeAll(async () => {
    [registry, plain] = [await imageRegistry(tls), await imageRegistry()];
    bench = await workbench({});
  });
  afterAll(async () => {
    await bench?.close();
    containerBench.remove();
    await registry?.close();
    await plain?.close();
  });

  /** Pushes the image of the bench and returns its digest. The engine forgets it. */
  async function push({ host }: ImageRegistry): Promise<string> {
    const image = `${host}/tools/box:1`;
    const digestFile = join(containerBench.folder, 'digest');
    const recipe = join(containerBench.folder, 'Containerfile');
    writeFileSync(recipe, 'FROM localhost/toolwharf-test:1\nENV BOX=tls\n');
    const build = ['build', '-q', '--isolation', 'chroot', '--pull-never', '-t', image, '-f', recipe];
    await containerBench.aside(...build, containerBench.folder);
    await containerBench.aside('push', '-q', '--tls-verify=false', '--digestfile', digestFile, image);
    await containerBench.aside('image', 'rm', '--force', image);
    return readFileSync(digestFile, 'utf8').trim();
  }

  const sessionWith = (ca: string | undefined, { host }: ImageRegistry) =>
    bench.session({
      ...{ directories: [], accept: null, allow: [`net:${host}`, `toolwharf=net:${host}`] },
      policy: {
        containers: { engine: containerBench.engine },
        ...(ca === undefined ? {} : { caCertificates: ca }),
      },
    });

  /** Writes a package with the image. */
  function write(image: string): string {
    const action = {
      name: 'read',
      invocation: { kind: 'subcommand', argv_template: ['-c', 'echo answered'] },
      input: { type: 'object', properties: {}, additionalProperties: false },
    };
    const manifest = containerPackage({ id: 'box', image, command: ['sh'], actions: [action] });
    const smoke = { kind: 'action-call', action: 'read', arguments: {}, success: {} };
    bench.write({ 'box/toolspace.json': JSON.stringify({ ...JSON.parse(manifest), smoke }) });
    return join(bench.packages, 'box');
  }

  test.each(['TLS', 'no TLS'])(
    'is reached with its certificate: a registry on this machine with %s',
    async (kind) => {
      const at = kind === 'TLS' ? registry : plain;
      const digest = await push(at);
      const source = write(`${at.host}/tools/box:1`);
      const session = await sessionWith(tls?.ca, at);
      const plan = await session.installations.plan({ source });
      expect(plan.dependencies).toEqual([`the image ${at.host}/tools/box@${digest}`]);
      await session.installations.install({ source, agree: plan.digest, by });
      expect(await resultOf(session.call({ tool: 'box/read', arguments: {} }))).toContain('answered');
      await session.installations.remove({ package: 'box', by });
    },
    90_000,
  );

  test('is not trusted with the certificate of another authority, by the host and by the engine', async () => {
    const digest = await push(registry);
    const session = await sessionWith(others?.ca, registry);
    await expect(
      session.installations.plan({ source: write(`${registry.host}/tools/box:1`) }),
    ).rejects.toMatchObject({ code: 'network_failed' });
    // By digest, only the engine asks the registry.
    const source = write(`${registry.host}/tools/box@${digest}`);
    const plan = await session.installations.plan({ source });
    await expect(session.installations.install({ source, agree: plan.digest, by })).rejects.toMatchObject({
      code: 'network_failed',
      message: expect.stringMatching(/certificate/),
    });
    expect(await session.installations.list()).toEqual([]);
  }, 90_000);
});
