// Container images are fetched by digest from a loopback registry, and only by an installation.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containerPackage, openContainerBench, shellAction } from '../../support/container-bench.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const { containerBench, skipped } = openContainerBench();
const sha256 = (bytes: Uint8Array | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** An image with one layer as a registry serves it: a manifest, and blobs by digest. */
function imageOf(layer: Uint8Array) {
  const config = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {},
    rootfs: { type: 'layers', diff_ids: [sha256(layer)] },
  });
  const media = 'application/vnd.oci.image';
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: `${media}.manifest.v1+json`,
    config: { mediaType: `${media}.config.v1+json`, digest: sha256(config), size: config.length },
    layers: [{ mediaType: `${media}.layer.v1.tar`, digest: sha256(layer), size: layer.length }],
  });
  return {
    manifest,
    blobs: new Map<string, Uint8Array | string>([
      [sha256(config), config],
      [sha256(layer), layer],
    ]),
  };
}

describe.skipIf(skipped !== '')(`installing images${skipped}`, () => {
  let registry: LoopbackServer;
  let bench: Workbench;
  let swapped = false;
  const seen: string[] = [];

  beforeAll(async () => {
    const good = imageOf(readFileSync(join(containerBench.folder, 'image.tar')));
    registry = await loopbackServer((request, response) => {
      seen.push(request.url ?? '');
      const [, kind, digest = ''] =
        /^\/v2\/tools\/box\/(manifests|blobs)\/(sha256:[a-f0-9]+)$/.exec(request.url ?? '') ?? [];
      if (request.url === '/v2/') return void response.end('{}');
      // A malicious registry answers with other bytes for the same digest.
      const manifest = swapped
        ? good.manifest.replace('"schemaVersion":2', '"schemaVersion": 2')
        : good.manifest;
      const body = kind === 'manifests' ? manifest : good.blobs.get(digest);
      if (kind === undefined || body === undefined) return void response.writeHead(404).end();
      if (kind === 'manifests')
        response.setHeader('Content-Type', 'application/vnd.oci.image.manifest.v1+json');
      response.setHeader('Docker-Content-Digest', digest);
      response.end(request.method === 'HEAD' ? undefined : body);
    });
    const image = `127.0.0.1:${registry.port}/tools/box@${sha256(good.manifest)}`;
    bench = await workbench({
      'box/toolspace.json': containerPackage({ id: 'box', image, command: ['sh'], actions: [shellAction] }),
    });
  });
  afterAll(async () => {
    await bench?.close();
    containerBench.remove();
    await registry?.close();
  });
  const session = (allow: string[]) =>
    bench.session({ allow, policy: { containers: { engine: containerBench.engine } } });
  const granted = () => [`net:127.0.0.1:${registry.port}`];
  const stateOf = async (allow: string[]) => (await (await session(allow)).packages()).packages[0]?.state;

  test('a loopback registry needs a grant, and a denied registry gets no request', async () => {
    await expect((await session([])).install('box', {})).rejects.toMatchObject({ code: 'network_denied' });
    const denied = await bench.session({
      allow: granted(),
      policy: { containers: { engine: containerBench.engine }, deny: [`net:127.0.0.1:${registry.port}`] },
    });
    await expect(denied.install('box', {})).rejects.toMatchObject({ code: 'network_denied' });
    expect(seen).toEqual([]);
  });

  test('listing packages and calling a tool fetch no image', async () => {
    const open = await session(granted());
    expect(await stateOf(granted())).toBe('needs-setup');
    expect((await open.call({ tool: 'box/run', arguments: { script: 'id' } })).status).toBe('error');
    expect(seen).toEqual([]);
  });

  test('an image that does not match its digest is rejected', async () => {
    swapped = true;
    await expect((await session(granted())).install('box', {})).rejects.toMatchObject({
      code: expect.stringMatching(/integrity|network_failed/),
      message: expect.stringContaining('could not be downloaded'),
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(await stateOf(granted())).toBe('needs-setup');
    swapped = false;
  });

  test('an image is fetched once, the audit log has the fetch, and the tool runs', async () => {
    const open = await session(granted());
    const steps: string[] = [];
    const change = await open.install('box', { onStep: (name) => steps.push(name) });
    expect(change.steps).toMatchObject([{ name: 'container image', status: 'done' }]);
    expect(steps.join()).toContain('@sha256:');
    expect(await resultOf(open.call({ tool: 'box/run', arguments: { script: 'echo here' } }))).toBe('here\n');
    const tail = JSON.stringify(await bench.host.auditTail(20));
    expect(tail).toContain('fetch image');
    const again = await open.install('box', {});
    expect(again.steps).toMatchObject([{ status: 'already installed' }]);
  });
});
