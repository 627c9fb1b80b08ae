// SECURITY.md: "An approval runs exactly one call". The host is killed between the approval and the end of
// the call. The next host never runs the call a second time.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHost } from '../../../src/index.js';
import { manifest } from '../../support/bank.js';
import { type LoopbackServer, loopbackServer, temporaryFolder } from '../../support/toolwharf.js';

const library = join(import.meta.dirname, '../../../dist/index.js');

let folder: ReturnType<typeof temporaryFolder>;
let server: LoopbackServer;

beforeAll(async () => {
  server = await loopbackServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}'),
  );
  folder = temporaryFolder({
    // Without the credential, an address works as well as a name.
    'packages/bank/findagent.json': manifest(server.port)
      .replaceAll('localhost', '127.0.0.1')
      .replace(/,"auth_ref":"key"/, '')
      .replace(/"credential_slots":\[[^\]]*\][^\]]*\]/, '"credential_slots":[]'),
  });
  mkdirSync(join(folder.path, 'workspace'));
  writeFileSync(
    join(folder.path, 'host.mjs'),
    `import { createHost } from ${JSON.stringify(library)};
const [state, packages, root, port, first] = process.argv.slice(2);
const host = await createHost({ state, warm: false });
const session = await host.session({ principal: 'agent', directories: [packages], root, allow: ['net:127.0.0.1:' + port] });
process.stdout.write('ready\\n');
for (let at = Number(first); ; at++) {
  const held = await session.call({ tool: 'bank/pay', arguments: { to: 'n' + at, amount: 1 } });
  if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
  const { token } = held.confirmation;
  await host.approvals.approve(token, 'person');
  const confirm = () => session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: token } });
  await Promise.all([confirm(), confirm(), confirm()]);
  // A principal may ask for thirty approvals in a minute; all rounds together stay below that.
  await new Promise((resolve) => setTimeout(resolve, 15));
}
`,
  );
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

interface StartedHost {
  readonly child: ChildProcess;
  /** The signal that ended it, or what it printed if it ended by itself. */
  readonly ended: Promise<string>;
}

function started(state: string, first: number): Promise<StartedHost> {
  const args = [state, join(folder.path, 'packages'), join(folder.path, 'workspace'), String(server.port)];
  const child = spawn(process.execPath, [join(folder.path, 'host.mjs'), ...args, String(first)]);
  return new Promise((resolve, reject) => {
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    const ended = new Promise<string>((end) =>
      child.once('close', (code, signal) => end(signal ?? `ended with ${code}: ${errors}`)),
    );
    ended.then((it) => reject(new Error(it)));
    child.stdout.once('data', () => resolve({ child, ended }));
  });
}

const paidFor = () => server.requests.map((it) => it.url);

test('after a host is killed, no call runs twice and no decision is lost', async () => {
  const state = join(folder.path, 'state');
  // Fixed delays make failures reproducible; each round ends a little later.
  for (const [round, milliseconds] of [3, 11, 23, 37, 54, 80].entries()) {
    const { child, ended } = await started(state, round * 1000);
    const paid = paidFor().length;
    const deadline = performance.now() + 10_000;
    // Count from the first payment; before it, the host may still be starting.
    while (paidFor().length === paid && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');

    const host = await createHost({ state, warm: false });
    const session = await host.session({
      principal: 'agent',
      directories: [join(folder.path, 'packages')],
      root: join(folder.path, 'workspace'),
      allow: [`net:127.0.0.1:${server.port}`],
    });
    const all = await host.approvals.list(['proposed', 'approved', 'executing', 'executed']);
    // Every payment belongs to a request that is executing or executed.
    for (const url of paidFor()) {
      const to = url?.split('/')[2];
      const request = all.find((it) => (it.arguments as { to: string }).to === to);
      expect(['executing', 'executed'], `${to} is ${request?.state}`).toContain(request?.state);
    }
    // Confirming again returns the stored answer, runs an approved call that did not start, or is denied.
    for (const { id, state: was } of all.filter((it) => it.state !== 'proposed')) {
      const answers = await Promise.all(
        [1, 2].map(() =>
          session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: id } }),
        ),
      );
      if (was === 'executing') for (const it of answers) expect(it.status).toBe('denied');
      else expect(answers.some((it) => it.status === 'ok')).toBe(true);
    }
    expect((await host.verifyAudit()).ok).toBe(true);
    await host.close();
    expect(new Set(paidFor()).size).toBe(paidFor().length);
  }
  // Control: there was more than one payment per round.
  expect(paidFor().length).toBeGreaterThan(6);
}, 120_000);
