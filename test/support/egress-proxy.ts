// An egress proxy like the one of a sandbox, for attacks from inside. All names resolve to this machine by
// default.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Resolve } from '../../src/net/destination.js';
import { type EgressPolicy, openEgress } from '../../src/net/egress.js';

export const local: Resolve = async () => ['127.0.0.1'];

export interface TestProxy {
  /** Sends text to the proxy and returns its whole answer. */
  send(text: string): Promise<string>;
  close(): Promise<void>;
}

export async function openTestProxy(policy: EgressPolicy, resolve: Resolve = local): Promise<TestProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-proxy-'));
  const socket = join(folder, 's');
  const proxy = await openEgress({ socket, policy, resolve });
  return {
    send: (text) =>
      new Promise((done) => {
        let received = '';
        const client = connect(socket, () => client.write(text.replaceAll('\n', '\r\n')));
        client.on('data', (chunk) => {
          received += chunk.toString('latin1');
        });
        client.on('error', () => {});
        client.once('close', () => done(received));
      }),
    async close() {
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
