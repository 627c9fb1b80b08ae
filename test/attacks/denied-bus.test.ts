// SECURITY.md: what `deny` rules out is ruled out, whatever was granted or declared.
// An extension over NATS is asked through the operator's server: a package without network is not asked at all.
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { workbench } from '../workbench.js';

const manifest = `[plugin]
id = "far"
version = "1.0.0"

[capabilities]
tools = ["echo"]

[transport]
type = "nats"
subject_prefix = "ext"
`;

test('a package without network is not asked over NATS', async () => {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
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
      expect(it?.reasons.join(), deny.join()).toContain('rules 127.0.0.1');
    }
    expect(visits).toBe(0);
    // The control: without the denial the server is gone to.
    await bench.session({ policy: { natsUrl, deny: ['other=net:*'] } });
    expect(visits).toBeGreaterThan(0);
  } finally {
    await bench.close();
    server.close();
  }
}, 30_000);
