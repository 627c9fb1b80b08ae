// SECURITY.md: "Deny wins". The host reaches a NATS extension through the operator's NATS server. If network
// is denied to the package, the host does not connect at all.
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { workbench } from '../../support/workbench.js';

const manifest = `[plugin]
id = "far"
version = "1.0.0"

[capabilities]
tools = ["echo"]

[transport]
type = "nats"
subject_prefix = "ext"
`;

test('the host does not connect to NATS for a package without network', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const bench = await workbench({ 'far/plugin.toml': manifest });
  const natsUrl = `nats://127.0.0.1:${port}`;
  try {
    for (const deny of [['net:*'], ['far=net:*'], ['net:127.0.0.1'], [`net:127.0.0.1:${port}`]]) {
      const session = await bench.session({ policy: { natsUrl, deny } });
      const [it] = (await session.packages()).packages;
      expect(it?.state, deny.join()).toBe('unavailable');
      expect(it?.reasons.join(), deny.join()).toContain('denies 127.0.0.1');
    }
    expect(connections).toBe(0);
    // Control: without the denial, the host connects to the server.
    await bench.session({ policy: { natsUrl, deny: ['other=net:*'] } });
    expect(connections).toBeGreaterThan(0);
  } finally {
    await bench.close();
    server.close();
  }
}, 30_000);
