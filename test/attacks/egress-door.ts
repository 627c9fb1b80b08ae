// A proxy as a sandbox has one, for attacks that come from inside. Names ending in .test lead to this machine only.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Resolve } from '../../src/net/destination.js';
import { type EgressPolicy, openEgress } from '../../src/net/egress.js';

export const local: Resolve = async () => ['127.0.0.1'];

export interface Door {
  /** Says something to the proxy and gives back all that it answers. */
  say(text: string): Promise<string>;
  close(): Promise<void>;
}

export async function openDoor(policy: EgressPolicy, resolve: Resolve = local): Promise<Door> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-door-'));
  const socket = join(folder, 's');
  const proxy = await openEgress({ socket, policy, resolve });
  return {
    say: (text) =>
      new Promise((done) => {
        let heard = '';
        const client = connect(socket, () => client.write(text.replaceAll('\n', '\r\n')));
        client.on('data', (chunk) => {
          heard += chunk.toString('latin1');
        });
        client.on('error', () => {});
        client.once('close', () => done(heard));
      }),
    async close() {
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
