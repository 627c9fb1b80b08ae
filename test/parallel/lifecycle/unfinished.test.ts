// Changes that a killed host did not finish, and changes at the same time.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkState } from '../../../src/host/doctor/state.js';
import { createHost, type Host, type Session } from '../../../src/index.js';
import { ChangeJournal } from '../../../src/store/change-journal.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { until } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
const env = [{ name: 'COUNTER_TOKEN', prompt: 'A token.', secret: true }];
let bench: Workbench;
let again: Host | undefined;
afterEach(async () => {
  await again?.close();
  again = undefined;
  await bench.close();
});

async function installed(options: Parameters<typeof counterPackage>[0] = {}) {
  bench = await workbench(counterPackage({ env, ...options }));
  const source = join(bench.packages, 'counter');
  const session = await bench.session({ directories: [], accept: null });
  await install(session, source, 'the-first-value');
  return { session, source };
}

async function install(session: Session, source: string, token?: string) {
  const { digest } = await session.installations.plan({ source });
  const values = token === undefined ? {} : { COUNTER_TOKEN: token };
  return session.installations.install({ source, agree: digest, by, values });
}

const unfinishedIn = async (state: string) =>
  (await checkState(state, null)).filter((it) => it.id === 'changes');

/** Leaves the state as a killed host would, and starts another one. */
async function restart(leave: (journal: ChangeJournal) => Promise<void>) {
  const state = join(bench.path, 'state');
  await bench.host.close();
  const database = openDatabase(state);
  await leave(new ChangeJournal(database, Date.now));
  const revoking = { state: 'revoking' };
  await database.updateTable('installation').set(revoking).where('package', '=', 'counter').execute();
  await database.destroy();
  again = await createHost({ state });
  return { state, session: await again.session({ directories: [], accept: null, root: bench.root }) };
}

describe('after a kill', () => {
  test('a removal that began is finished, what a fetch left is deleted, and the audit log says so', async () => {
    await installed();
    const build = join(bench.path, 'state', 'sources', '0.fetched');
    const { state, session } = await restart(async (journal) => {
      mkdirSync(build, { recursive: true });
      await journal.begin({ id: 'chg_1', package: 'counter', operation: 'remove' });
    });
    expect(existsSync(build)).toBe(false);
    expect(await session.installations.list()).toEqual([]);
    expect(await again?.secrets.list()).toEqual([]);
    expect(readdirSync(join(state, 'store', 'trees'))).toEqual([]);
    const tail = await again?.auditTail(20);
    expect(JSON.stringify(tail)).toContain('"of":"remove"');
  });

  test('a revocation that waits for its kill switch stays as it is', async () => {
    await installed();
    const { session } = await restart(async () => {});
    expect(await session.installations.list()).toMatchObject([{ package: 'counter', state: 'revoking' }]);
    expect(await again?.secrets.list()).toHaveLength(1);
  });

  test('a change that cannot be undone now does not stop the host, stays in the journal and is in the audit log', async () => {
    await installed();
    const made = {
      images: [`example.com/tool@sha256:${'0'.repeat(64)}`],
      engine: join(bench.path, 'no-engine'),
    };
    writeFileSync(made.engine, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { state } = await restart((journal) =>
      journal.begin({ id: 'chg_1', package: 'other', operation: 'install', made }),
    );
    expect(JSON.stringify(await again?.auditTail(20))).toContain('"operation":"unsettled"');
    const failed = expect.stringMatching(
      /\(install of other\) could not be undone: .+ then start a host again$/,
    );
    expect(await unfinishedIn(state)).toMatchObject([
      { status: 'warn', message: failed, fix: 'toolwharf gc' },
    ]);
    await again?.close();
    again = undefined;
    expect(await unfinishedIn(state)).toMatchObject([{ message: failed }]);
    const database = openDatabase(state);
    expect(await new ChangeJournal(database, Date.now).list()).toMatchObject([{ id: 'chg_1' }]);
    await database.destroy();
  });

  test('doctor names a change that a killed host left, but not one that a running host makes', async () => {
    await installed();
    const state = join(bench.path, 'state');
    const database = openDatabase(state);
    await new ChangeJournal(database, Date.now).begin({ id: 'chg_1', package: 'other', operation: 'update' });
    await database.destroy();
    expect(await unfinishedIn(state)).toEqual([]);
    await bench.host.close();
    const message = 'an unfinished change (update of other) is left; the next start of a host undoes it';
    expect(await unfinishedIn(state)).toMatchObject([{ message }]);
  });

  test('a change that could not even be undone is settled before the next one, and takes nothing from it', async () => {
    const { session, source } = await installed();
    const database = openDatabase(join(bench.path, 'state'));
    const journal = new ChangeJournal(database, Date.now);
    await journal.begin({ id: 'chg_1', package: 'counter', operation: 'update' });
    bench.write(counterPackage({ env, version: '1.1.0' }));
    await install(session, source, 'the-second-value');
    expect(await journal.list()).toEqual([]);
    expect(await bench.host.secrets.list()).toHaveLength(1);
    await database.destroy();
  });
});

describe('at the same time', () => {
  test('two installations of one package are ordered, and the later one is served', async () => {
    const { session, source } = await installed();
    const other = await bench.session({ directories: [], accept: null });
    bench.write(counterPackage({ env, version: '1.1.0', answer: 'two' }));
    const first = await session.installations.plan({ source });
    bench.write(counterPackage({ env, version: '1.2.0', answer: 'three' }));
    const second = await other.installations.plan({ source });
    const changes = await Promise.all([
      session.installations.install({ source, agree: first.digest, by }),
      other.installations.install({ source, agree: second.digest, by }),
    ]);
    expect(changes.map((it) => [it.from?.generation, it.to?.generation])).toEqual([
      [1, 2],
      [2, 3],
    ]);
    for (const it of [session, other])
      expect(await it.call({ tool: 'counter/count', arguments: { text: 'a' } })).toMatchObject({
        result: { answer: 'three' },
      });
  });

  test('calls of the old generation see the old values until the switch, and the smoke test sees the new ones', async () => {
    // Only the smoke test says "wait", and it goes on when the file exists.
    const code = `import io, pathlib, time
asked = sys.stdin.read()
sys.stdin = io.StringIO(asked)
answer = len(os.environ['COUNTER_TOKEN'])
text = json.loads(asked)['text']
while text.startswith('/') and not pathlib.Path(text).exists(): time.sleep(0.02)
if text.startswith('/') and answer != len('a-longer-second-value'): sys.exit('an old value')`;
    const scopes = [{ resource: 'fs.local', actions: ['read'], rationale: 'It waits for a file.' }];
    const { session, source } = await installed({ code, scopes });
    const goOn = join(bench.root, 'go-on');
    const smoke = {
      kind: 'action-call',
      action: 'count',
      arguments: { text: goOn },
      success: { json_pointer_equals: { '/words': 1 } },
    };
    const seen = async () => {
      const { result } = (await session.call({ tool: 'counter/count', arguments: { text: 'a' } })) as never;
      return (result as { answer: number }).answer;
    };
    bench.write(counterPackage({ env, scopes, code, smoke, version: '2.0.0' }));
    const update = install(session, source, 'a-longer-second-value');
    await until(async () => (await bench.host.processes()).call > 0);
    const during = await seen();
    writeFileSync(goOn, '');
    await update;
    expect([during, await seen()]).toEqual(['the-first-value'.length, 'a-longer-second-value'.length]);
  });

  test('a call keeps its generation while another one is installed', async () => {
    // The program waits until the file that it is asked about exists.
    const code = `import io, pathlib, time
asked = sys.stdin.read()
sys.stdin = io.StringIO(asked)
text = json.loads(asked)['text']
while text.startswith('/') and not pathlib.Path(text).exists(): time.sleep(0.02)`;
    const scopes = [{ resource: 'fs.local', actions: ['read'], rationale: 'It waits for a file.' }];
    const { session, source } = await installed({ code, scopes });
    const goOn = join(bench.root, 'go-on');
    const waiting = session.call({ tool: 'counter/count', arguments: { text: goOn } });
    await until(async () => (await bench.host.processes()).call > 0);
    bench.write(counterPackage({ env, scopes, version: '2.0.0', answer: 'two' }));
    await install(session, source);
    const quick = await session.call({ tool: 'counter/count', arguments: { text: 'a' } });
    expect(quick).toMatchObject({ result: { answer: 'two' } });
    writeFileSync(goOn, '');
    expect(await waiting).toMatchObject({ status: 'ok', result: { answer: 'one' } });
  });
});
