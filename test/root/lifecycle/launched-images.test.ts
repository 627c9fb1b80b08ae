// MCP servers added by `docker run` and `podman run`, with a real engine and a real registry.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { openContainerBench } from '../../support/container-bench.js';
import { type ImageRegistry, imageRegistry, noRegistry } from '../../support/image-registry.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const { containerBench, skipped } = openContainerBench();
const missing = `${skipped}${noRegistry}`;
const by = 'operator';

/** An MCP server in the shell of the image. It shows its arguments, a variable, and a file of a mounted folder. */
const server = String.raw`#!/bin/sh
while read -r line; do
  rest=${'$'}{line#*\"id\":}
  [ "$rest" = "$line" ] && continue
  id=${'$'}{rest%%[,\}]*}
  case "$line" in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"box","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"see","description":"Shows what it got.","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      text="$* $MODE $(cat "$2/note.txt" 2>&1)"
      (echo more > "$2/new.txt") 2>/dev/null && text="$text written"
      result="{\"content\":[{\"type\":\"text\",\"text\":\"$text\"}]}" ;;
    *) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}"; continue ;;
  esac
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
`;

describe.skipIf(missing !== '')(`servers in images of a registry${missing}`, () => {
  let registry: ImageRegistry;
  let bench: Workbench;
  let session: Session;
  let image: string;
  let digest: string;

  beforeAll(async () => {
    registry = await imageRegistry();
    bench = await workbench({});
    session = await bench.session({
      ...{ directories: [], accept: null, allow: [`net:${registry.host}`, `toolwharf=net:${registry.host}`] },
      policy: { containers: { engine: containerBench.engine } },
    });
    image = `${registry.host}/tools/desk:stable`;
    const { folder, aside } = containerBench;
    mkdirSync(join(folder, 'desk'), { recursive: true });
    writeFileSync(join(folder, 'desk/server.sh'), server, { mode: 0o755 });
    const recipe = join(folder, 'Containerfile.desk');
    const start = 'ENTRYPOINT ["/bin/sh", "/server.sh"]';
    writeFileSync(recipe, `FROM localhost/toolwharf-test:1\nCOPY desk /\n${start}\n`);
    await aside('build', '-q', '--isolation', 'chroot', '--pull-never', '-t', image, '-f', recipe, folder);
    const digestFile = join(folder, 'desk-digest');
    await aside('push', '-q', '--tls-verify=false', '--digestfile', digestFile, image);
    digest = readFileSync(digestFile, 'utf8').trim();
    await aside('image', 'rm', '--force', image);
  });
  afterAll(async () => {
    await bench?.close();
    containerBench.remove();
    await registry?.close();
  });

  test.each(['docker', 'podman'])(
    '%s run: locked by digest, with its folder, variable and arguments',
    async (engine) => {
      const folder = join(bench.path, `docs-${engine}`);
      mkdirSync(folder, { mode: 0o755 });
      writeFileSync(join(folder, 'note.txt'), 'tea');
      const { installations } = session;
      const volume = ['-v', `${folder}:/docs:ro`];
      const command = [engine, 'run', '-i', '--rm', ...volume, '-e', 'MODE=fast', image, '--folder', '/docs'];
      const request = { name: `desk-${engine}`, command };
      // The folder is only offered: without a person's choice the server does not see it.
      const offered = await installations.draftServer(request);
      expect(offered.offered).toEqual([`read:${folder}`]);
      const allow = [`read:${folder}`];
      const trial = await installations.tryServer({ ...request, allow, by });
      expect(trial).toMatchObject({ status: 'started', tools: [{ name: 'see' }] });
      const { source, values } = await installations.draftServer({ ...request, allow });
      const plan = await installations.plan({ source, allow });
      expect(plan.dependencies).toEqual([`the image ${registry.host}/tools/desk@${digest}`]);
      expect(plan.requires).toEqual([`read:${folder}`]);
      await installations.install({ source, allow, agree: plan.digest, values, by });
      const id = `desk-${engine}`;
      expect((await session.packages()).packages.find((it) => it.id === id)).toMatchObject({
        state: 'ready',
      });
      const answer = JSON.stringify(await resultOf(session.call({ tool: `${id}/see`, arguments: {} })));
      expect(answer).toContain(`--folder ${folder} fast tea`);
      expect(answer).not.toContain('written');
    },
    90_000,
  );
});
