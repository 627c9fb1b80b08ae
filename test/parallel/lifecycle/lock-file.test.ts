// toolwharf.lock: saved by one person, restored by another on a machine with nothing installed.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createHost, type Host, type InstallRequest, type Session } from '../../../src/index.js';
import type { LockedPackage } from '../../../src/model/lock-file.js';
import { type CounterOptions, counterPackage } from '../../support/lifecycle-packages.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const by = 'operator';
const knownEffects = [{ tool: '*', undeclaredEffect: 'write', origin: { kind: 'session' } }] as const;

/** A machine: a state directory, and a project on it. */
interface Machine {
  readonly host: Host;
  readonly root: string;
  readonly session: Session;
}

let folder: ReturnType<typeof temporaryFolder>;
let next = 0;
const machines: Machine[] = [];

beforeAll(() => {
  folder = temporaryFolder({});
});
afterEach(async () => {
  for (const it of machines.splice(0)) await it.host.close();
});
afterAll(() => folder.remove());

/** A machine of somebody else has a copy of the project at another path. */
async function machine(project?: string): Promise<Machine> {
  const path = join(folder.path, `machine-${++next}`);
  const root = join(path, 'project');
  mkdirSync(root, { recursive: true });
  if (project !== undefined) cpSync(project, root, { recursive: true, verbatimSymlinks: true });
  const host = await createHost({ state: join(path, 'state') });
  const session = await sessionAt(host, root);
  machines.push({ host, root, session });
  return { host, root, session };
}

async function sessionAt(host: Host, root: string): Promise<Session> {
  return host.session({ directories: [], accept: null, root, policy: { rules: [...knownEffects] } });
}

function write(root: string, options: CounterOptions = {}, id = 'counter') {
  for (const [name, text] of Object.entries(counterPackage(options))) {
    const path = join(root, 'tools', id, name.slice('counter/'.length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replace('"id": "counter"', `"id": "${id}"`));
  }
}

async function save({ session, root }: Machine, id = 'counter', more: Partial<InstallRequest> = {}) {
  const { allow } = more;
  const source = join(root, 'tools', id);
  const { digest } = await session.installations.plan({ source, allow });
  return session.installations.install({ source, agree: digest, save: true, by, ...more });
}

async function restore({ session }: Machine) {
  const { digest } = await session.installations.planRestore();
  return session.installations.restore({ agree: digest, by });
}

const lockPath = (root: string) => join(root, 'toolwharf.lock');
const lockText = (root: string) => readFileSync(lockPath(root), 'utf8');
const entries = (root: string): LockedPackage[] => JSON.parse(lockText(root)).packages;

function changeEntry(root: string, change: (entry: Record<string, unknown>) => void) {
  const file = JSON.parse(lockText(root));
  change(file.packages[0]);
  writeFileSync(lockPath(root), JSON.stringify(file));
}

describe('a lock file', () => {
  test('restores a package on another machine, only for its project, and then changes nothing', async () => {
    const first = await machine();
    write(first.root);
    const saved = await save(first);
    expect(saved.left).toEqual([]);
    expect(saved.steps.at(-1)).toMatchObject({ name: 'lock file', status: 'done' });
    const text = lockText(first.root);
    expect(text).not.toContain(folder.path);
    expect(entries(first.root)).toMatchObject([
      {
        ...{ id: 'counter', version: '1.0.0', source: './tools/counter', requires: [], grants: [] },
        ...{ locked: { kind: 'folder', path: 'tools/counter' }, manifest: 'toolspace.json', lock: {} },
      },
    ]);
    // Saved again, it is the same text.
    expect(await save(first)).toMatchObject({ operation: 'unchanged' });
    expect(lockText(first.root)).toBe(text);

    const second = await machine(first.root);
    const plan = await second.session.installations.planRestore();
    expect(plan).toMatchObject({ unchanged: [], plans: [{ operation: 'install' }] });
    const report = await second.session.installations.restore({ agree: plan.digest, by });
    expect(report.changes).toMatchObject([
      { package: 'counter', operation: 'install', to: { generation: 1 } },
    ]);
    expect(report.changes[0]?.steps).toContainEqual({ name: 'smoke', status: 'done' });
    const call = { tool: 'counter/count', arguments: { text: 'a b' } };
    expect(await second.session.call(call)).toMatchObject({ result: { words: 2 } });
    const elsewhere = await sessionAt(second.host, folder.path);
    expect((await elsewhere.packages()).packages).toEqual([]);
    expect(lockText(second.root)).toBe(text);

    // Nothing is fetched: even the folder may be gone.
    rmSync(join(second.root, 'tools'), { recursive: true });
    expect(await restore(second)).toMatchObject({
      digest: plan.digest,
      changes: [{ package: 'counter', operation: 'unchanged', steps: [] }],
    });
  });

  test('is restored with what its own caller allows, not with what another one allowed', async () => {
    const first = await machine();
    const folderOf = join(first.root, 'tools/desk');
    mkdirSync(folderOf, { recursive: true });
    const server = {
      ...{ schema: 'toolwharf/mcp@1', name: 'desk', version: '1.0.0', description: 'A desk.' },
      ...{ command: 'node', args: ['server.mjs'], network: ['127.0.0.1:9'] },
    };
    writeFileSync(join(folderOf, 'toolwharf-mcp.json'), JSON.stringify(server));
    writeFileSync(join(folderOf, 'server.mjs'), '');
    const allow = ['net:127.0.0.1:9'];
    await save(first, 'desk', { allow, skipSmoke: true });
    expect(entries(first.root)).toMatchObject([{ grants: allow, requires: allow }]);
    changeEntry(first.root, (entry) => Object.assign(entry, { grants: [] }));
    const grantsAfter = async (own: readonly string[], others: readonly string[]) => {
      const { session, host, root } = await machine(first.root);
      const { digest } = await session.installations.planRestore({ allow: own });
      await (await sessionAt(host, root)).installations.planRestore({ allow: others });
      await session.installations.restore({ agree: digest, allow: own, by, skipSmoke: true });
      const switches = (await host.auditTail(20)).filter((it) => it.body.operation === 'install');
      return switches.map((it) => it.body.grants);
    };
    expect(await grantsAfter([], allow)).toEqual([[]]);
    expect(await grantsAfter(allow, [])).toEqual([allow]);
  });

  test('does not restore anything else: both digests are named, and nothing is installed', async () => {
    const first = await machine();
    write(first.root);
    await save(first);
    const wanted = entries(first.root)[0] as LockedPackage;
    const changed = await machine(first.root);
    write(changed.root, { answer: 'other' });
    const difference = expect.stringMatching(new RegExp(`found [0-9a-f]{64}, expected ${wanted.tree}`));
    await expect(restore(changed)).rejects.toMatchObject({ code: 'integrity', message: difference });
    // The same with a lock file that was changed instead of the package.
    for (const [member, value] of Object.entries({
      ...{ tree: 'f'.repeat(64), digest: 'f'.repeat(64), version: '9.9.9', manifest: 'other.json' },
      ...{ requires: ['net:public'], lock: { version: '2.0.0' }, source: './tools/other' },
    })) {
      const tampered = await machine(first.root);
      changeEntry(tampered.root, (entry) => {
        entry[member] = value;
      });
      await expect(restore(tampered), member).rejects.toMatchObject({ code: 'integrity' });
      expect(await tampered.session.installations.list()).toEqual([]);
      await machines.pop()?.host.close();
    }
    // Control: unchanged, it is restored.
    await expect(restore(await machine(first.root))).resolves.toMatchObject({ changes: [{}] });
  });

  test('is agreed to as it is: a later change of it or of an agreed package installs nothing', async () => {
    const first = await machine();
    write(first.root);
    await save(first);
    const second = await machine(first.root);
    const { digest } = await second.session.installations.planRestore();
    changeEntry(second.root, (entry) => {
      entry.grants = ['net:api.example.com'];
    });
    const old = second.session.installations.restore({ agree: digest, by });
    await expect(old).rejects.toMatchObject({ code: 'integrity', message: expect.stringContaining(digest) });
    const { digest: agree, plans } = await second.session.installations.planRestore();
    expect(plans[0]?.grants).toEqual(['net:api.example.com']);
    const allow = ['net:other.example.com'];
    await expect(second.session.installations.planRestore({ allow })).rejects.toMatchObject({
      code: 'usage',
    });
    await second.session.installations.restore({ agree, by });
    expect(await second.session.installations.history('counter')).toMatchObject([
      { grants: ['net:api.example.com'] },
    ]);
  });

  test('with a package that fails: nothing of it stays, those before it do, and the next try goes on', async () => {
    const first = await machine();
    const env = [{ name: 'REGION', prompt: 'Where.', secret: false }];
    const code = "if os.environ['REGION'] == 'nowhere': sys.exit('no such region')";
    write(first.root);
    write(first.root, { env, code }, 'second');
    await save(first);
    await save(first, 'second', { values: { REGION: 'north' } });
    expect(entries(first.root).map((it) => it.id)).toEqual(['counter', 'second']);
    expect(lockText(first.root)).not.toContain('north');

    const other = await machine(first.root);
    const { installations } = other.session;
    const { digest: agree } = await installations.planRestore();
    // A missing value stops it before anything is installed.
    await expect(installations.restore({ agree, by })).rejects.toMatchObject({ code: 'needs_setup' });
    expect(await installations.list()).toEqual([]);
    const wrong = { second: { REGION: 'nowhere' } };
    await expect(installations.restore({ agree, by, values: wrong })).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(/no such region.*already installed: counter/s),
    });
    expect((await installations.list()).map((it) => it.package)).toEqual(['counter']);
    expect(await other.host.secrets.list()).toEqual([]);
    const values = { second: { REGION: 'south' } };
    const { changes } = await installations.restore({ agree, by, values });
    expect(changes.map((it) => [it.package, it.operation])).toEqual([
      ['counter', 'unchanged'],
      ['second', 'install'],
    ]);
  });

  test('canceled while a package is tested, it leaves nothing of it', async () => {
    const first = await machine();
    write(first.root);
    await save(first);
    const slow = await machine(first.root);
    const { digest: agree } = await slow.session.installations.planRestore();
    const stop = new AbortController();
    const onProgress = ({ step }: { readonly step: string }) => {
      if (step === 'smoke') stop.abort();
    };
    const running = slow.session.installations.restore({ agree, by, onProgress, signal: stop.signal });
    await expect(running).rejects.toMatchObject({ code: 'canceled' });
    expect(await slow.session.installations.list()).toEqual([]);
    await expect(slow.session.installations.restore({ agree, by })).resolves.toMatchObject({ changes: [{}] });
  });
});

describe('the entry of a package', () => {
  test('follows update, rollback, revocation and removal, and no other command adds it', async () => {
    const one = await machine();
    const { installations } = one.session;
    write(one.root);
    write(one.root, {}, 'second');
    await save(one);
    const source = join(one.root, 'tools', 'second');
    const { digest } = await installations.plan({ source });
    await installations.install({ source, agree: digest, by });
    const versions = () => entries(one.root).map((it) => `${it.id} ${it.version}`);
    expect(versions()).toEqual(['counter 1.0.0']);

    write(one.root, { version: '1.1.0' });
    const update = await installations.plan({ package: 'counter' });
    await installations.install({ package: 'counter', agree: update.digest, by });
    expect(versions()).toEqual(['counter 1.1.0']);
    await installations.rollback({ package: 'counter', by });
    expect(versions()).toEqual(['counter 1.0.0']);
    await save(one, 'second');
    expect(versions()).toEqual(['counter 1.0.0', 'second 1.0.0']);
    const removed = await installations.remove({ package: 'counter', by });
    expect(removed.steps.at(-1)).toMatchObject({ name: 'lock file', status: 'done' });
    expect(versions()).toEqual(['second 1.0.0']);
    // From the first step of a revocation on: it must not be restored while its kill switch waits.
    expect(await installations.revoke({ package: 'second', by })).toMatchObject({ manualSteps: [{}] });
    expect(versions()).toEqual([]);
  });

  test('that cannot be written is left to do', async () => {
    const one = await machine();
    write(one.root);
    await save(one);
    write(one.root, { version: '1.1.0' });
    writeFileSync(lockPath(one.root), '{');
    const { digest } = await one.session.installations.plan({ package: 'counter' });
    const change = await one.session.installations.install({ package: 'counter', agree: digest, by });
    expect(change).toMatchObject({
      to: { version: '1.1.0' },
      left: [expect.stringContaining('is not JSON')],
    });
    expect(lockText(one.root)).toBe('{');
    // With --save it is known before anything happens.
    await expect(save(one)).rejects.toMatchObject({ code: 'invalid_config' });
  });

  test('is inside the project, and so are the folders that it grants', async () => {
    const one = await machine();
    const other = await machine();
    write(other.root);
    await expect(save({ ...one, root: other.root })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('cannot be in a lock file'),
    });
    write(one.root);
    await expect(save(one, 'counter', { allow: ['read:/usr/share'] })).rejects.toMatchObject({
      code: 'usage',
    });
    expect([await one.session.installations.list(), existsSync(lockPath(one.root))]).toEqual([[], false]);
    await save(one, 'counter', { allow: [`read:${join(one.root, 'data')}`] });
    expect(entries(one.root)[0]?.grants).toEqual(['read:data']);
    expect(await restore(one)).toMatchObject({ changes: [{ operation: 'unchanged' }] });
    // A link in the project cannot lead a restored package elsewhere.
    const linked = await machine(one.root);
    rmSync(join(linked.root, 'tools', 'counter'), { recursive: true });
    symlinkSync(join(one.root, 'tools', 'counter'), join(linked.root, 'tools', 'counter'));
    await expect(restore(linked)).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('is a link'),
    });
    const lent = await machine(one.root);
    symlinkSync('/usr', join(lent.root, 'data'));
    await expect(restore(lent)).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('read:data'),
    });
  });
});

test('why a package is here: who, when, from where, and which lock file', async () => {
  const one = await machine();
  write(one.root);
  await save(one);
  const { installations } = one.session;
  const file = lockPath(one.root);
  expect(await installations.why('counter')).toMatchObject({
    ...{ package: 'counter', state: 'active', roots: [one.root], version: '1.0.0', by },
    ...{ source: join(one.root, 'tools', 'counter'), plan: expect.stringMatching(/^[0-9a-f]{64}$/) },
    lockFiles: [{ file, isInstalled: true }],
    entries: [{ kind: 'operator', body: { operation: 'install', package: 'counter' } }],
  });
  changeEntry(one.root, (entry) => {
    entry.version = '0.9.0';
  });
  expect(await installations.why('counter')).toMatchObject({ lockFiles: [{ file, isInstalled: false }] });
  await expect(installations.why('nothing')).rejects.toMatchObject({ code: 'not_found' });
});
