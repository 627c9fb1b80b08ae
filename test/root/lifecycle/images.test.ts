// Packages with images from a real registry, by tag and by digest, from plan to revocation, failed and killed. With
// TOOLWHARF_KILLS=N, the last test kills N times.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { containerPackage, openContainerBench } from '../../support/container-bench.js';
import { type ImageRegistry, imageRegistry, noRegistry } from '../../support/image-registry.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { main, toolwharf } from '../../support/toolwharf.js';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const { containerBench, skipped } = openContainerBench();
const missing = `${skipped}${noRegistry}`;
const by = 'operator';

describe.skipIf(missing !== '')(`images of a registry${missing}`, () => {
  let registry: ImageRegistry;
  let bench: Workbench;
  let session: Session;

  beforeAll(async () => {
    registry = await imageRegistry();
    bench = await workbench({});
    session = await bench.session({
      ...{ directories: [], accept: null, allow: [`net:${registry.host}`, `toolwharf=net:${registry.host}`] },
      policy: { containers: { engine: containerBench.engine } },
    });
  });
  afterAll(async () => {
    await bench?.close();
    containerBench.remove();
    await registry?.close();
  });

  /** Pushes the image of the bench with more files, and returns its digest. The engine forgets it. */
  async function push(
    name: string,
    tag: string,
    files: Readonly<Record<string, string>>,
    more = '',
  ): Promise<string> {
    const folder = join(containerBench.folder, 'more');
    rmSync(folder, { recursive: true, force: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const recipe = join(containerBench.folder, 'Containerfile');
    writeFileSync(recipe, `FROM localhost/toolwharf-test:1\nCOPY more /\n${more}\n`);
    const image = `${registry.host}/${name}:${tag}`;
    const build = ['build', '-q', '--isolation', 'chroot', '--pull-never', '-t', image, '-f', recipe];
    await containerBench.aside(...build, containerBench.folder);
    const digestFile = join(containerBench.folder, 'digest');
    const pushed = ['push', '-q', '--tls-verify=false', '--digestfile', digestFile, image];
    await containerBench.aside(...pushed);
    await containerBench.aside('image', 'rm', '--force', image);
    return readFileSync(digestFile, 'utf8').trim();
  }

  /** All images, except the one that the host tests the engine with. */
  const images = async () => {
    const listed = await containerBench.aside(
      'images',
      '--digests',
      '--format',
      '{{.Repository}}@{{.Digest}}',
    );
    return listed
      .split('\n')
      .filter((it) => it !== '' && !it.startsWith('localhost/toolwharf-base@'))
      .sort();
  };
  const stateFiles = (state: string) =>
    ['store', 'environments', 'sources'].flatMap((it) => {
      try {
        return readdirSync(join(state, it), { recursive: true, encoding: 'utf8' }).map((name) =>
          join(it, name),
        );
      } catch {
        return [];
      }
    });

  const action = (name: string, script: string) => ({
    name,
    invocation: { kind: 'subcommand', argv_template: ['-c', script] },
    input: { type: 'object', properties: {}, additionalProperties: false },
  });
  const actions = [action('read', 'cat /answer.txt'), action('wait', 'sleep 60')];
  const boxFiles = (image: string, smoke: JsonObject) => {
    const manifest = containerPackage({ id: 'box', image, command: ['sh'], actions });
    return { 'box/toolspace.json': JSON.stringify({ ...JSON.parse(manifest), smoke }) };
  };
  const passing = { kind: 'action-call', action: 'read', arguments: {}, success: {} };
  const source = () => join(bench.packages, 'box');
  const read = () => resultOf(session.call({ tool: 'box/read', arguments: {} }));

  test('a tag becomes a digest, is followed only with agreement, and nothing is left after a revocation', async () => {
    const { installations } = session;
    const one = await push('tools/box', 'stable', { 'answer.txt': 'one' });
    const before = await images();
    bench.write(boxFiles(`${registry.host}/tools/box:stable`, passing));
    const plan = await installations.plan({ source: source() });
    expect(plan.dependencies).toEqual([`the image ${registry.host}/tools/box@${one}`]);
    expect(plan.blockers).toEqual([]);
    expect(await images()).toEqual(before);
    await installations.install({ source: source(), agree: plan.digest, by });
    expect(await read()).toBe('one');
    expect(await installations.verify('box')).toMatchObject({ status: 'passed' });

    const two = await push('tools/box', 'stable', { 'answer.txt': 'two' });
    expect(await read()).toBe('one');
    expect(await installations.outdated()).toMatchObject([{ package: 'box' }]);
    const update = await installations.plan({ package: 'box' });
    expect(update.changes?.breaking[0]).toContain(`was moved: it was ${one}, now it is ${two}`);
    await installations.install({ package: 'box', agree: update.digest, by });
    expect(await read()).toBe('two');
    expect(await installations.verify('box')).toMatchObject({ status: 'passed' });
    await installations.rollback({ package: 'box', by });
    expect(await read()).toBe('one');
    const gone = await installations.revoke({ package: 'box', by, manualStepsDone: true });
    expect(gone.left).toEqual([]);
    expect(await images()).toEqual(before);
  }, 90_000);

  test('an update whose image never starts is rolled back by the host, and needs agreement again', async () => {
    const { installations } = session;
    const before = await images();
    const good = await push('tools/starting', '1', { 'answer.txt': 'one' });
    bench.write(boxFiles(`${registry.host}/tools/starting:1`, passing));
    const { digest } = await installations.plan({ source: source() });
    await installations.install({ source: source(), agree: digest, by });
    const bad = await push('tools/starting', '1', { 'answer.txt': 'two' }, 'RUN rm /bin/sh');
    const update = await installations.plan({ package: 'box' });
    await installations.install({ package: 'box', agree: update.digest, by, skipSmoke: true });
    const failures = [];
    for (let left = 3; left > 0; left--)
      failures.push(await session.call({ tool: 'box/read', arguments: {} }));
    expect(JSON.stringify(failures)).toContain('the host went back to generation 1');
    // At once: the message says that the call may be repeated.
    expect(await read()).toBe('one');
    const [failed, served] = await installations.history('box');
    expect(failed).toMatchObject({
      generation: 2,
      isCurrent: false,
      trial: { state: 'failed', failures: 3 },
    });
    expect(served).toMatchObject({ generation: 1, isCurrent: true });
    const name = `${registry.host}/tools/starting`;
    expect(await images()).toEqual([...before, `${name}@${bad}`, `${name}@${good}`].sort());
    // The tag still means the image that failed: it is not followed with the earlier agreement.
    const again = await installations.plan({ package: 'box' });
    expect(again.digest).not.toBe(update.digest);
    expect(again.changes?.breaking[0]).toContain('it failed last time: generation 2');
    await installations.revoke({ package: 'box', by, manualStepsDone: true });
    expect(await images()).toEqual(before);
  }, 90_000);

  test('an image by digest is pulled as it is, also after its tag was moved', async () => {
    const one = await push('tools/fixed', '1', { 'answer.txt': 'one' });
    await push('tools/fixed', '1', { 'answer.txt': 'two' });
    const before = await images();
    bench.write(boxFiles(`${registry.host}/tools/fixed@${one}`, passing));
    const { digest } = await session.installations.plan({ source: source() });
    await session.installations.install({ source: source(), agree: digest, by });
    expect(await read()).toBe('one');
    await session.installations.remove({ package: 'box', by });
    expect(await images()).toEqual(before);
  }, 60_000);

  test('a package in an image is a source: its tag becomes a digest', async () => {
    const { installations } = session;
    const files = (answer: string) =>
      Object.fromEntries(
        Object.entries(counterPackage({ answer })).map(([name, text]) => [
          name.replace('counter/', 'toolwharf/'),
          text,
        ]),
      );
    const one = await push('packages/counter', '1', files('one'));
    const from = `oci:${registry.host}/packages/counter:1`;
    const plan = await installations.plan({ source: from });
    expect(plan.resolved).toBe(`${registry.host}/packages/counter@${one}`);
    await installations.install({ source: from, agree: plan.digest, by });
    const count = () => resultOf(session.call({ tool: 'counter/count', arguments: { text: 'a' } }));
    expect(await count()).toMatchObject({ answer: 'one' });
    const two = await push('packages/counter', '1', files('two'));
    const update = await installations.plan({ package: 'counter' });
    expect(update.changes?.breaking[0]).toMatch(new RegExp(`was moved: .*${one}, now it is .*${two}`));
    await installations.install({ package: 'counter', agree: update.digest, by });
    expect(await count()).toMatchObject({ answer: 'two' });
    await installations.rollback({ package: 'counter', by });
    expect(await count()).toMatchObject({ answer: 'one' });
    await installations.revoke({ package: 'counter', by, manualStepsDone: true });
    expect(await installations.list()).toEqual([]);
  }, 60_000);

  test('an installation whose smoke test fails leaves no image and no file', async () => {
    await push('tools/failing', '1', { 'answer.txt': 'one' });
    const before = await images();
    const failing = { ...passing, success: { json_pointer_equals: { '/never': true } } };
    bench.write(boxFiles(`${registry.host}/tools/failing:1`, failing));
    const state = join(bench.path, 'state');
    await session.installations.collectGarbage(by);
    const files = stateFiles(state);
    const { digest } = await session.installations.plan({ source: source() });
    await expect(
      session.installations.install({ source: source(), agree: digest, by }),
    ).rejects.toMatchObject({ code: 'tool_failed' });
    expect(registry.requests.some((it) => /GET .*tools\/failing\/blobs/.test(it))).toBe(true);
    expect(await images()).toEqual(before);
    await session.installations.collectGarbage(by);
    expect(stateFiles(state)).toEqual(files);
  }, 60_000);

  describe('an installation that is killed', () => {
    let home: string;
    const config = () => ['--config', join(home, 'toolwharf.toml')];
    const allow = () => ['--allow', `net:${registry.host}`, '--allow', `toolwharf=net:${registry.host}`];
    const options = () => ({
      cwd: home,
      env: { HOME: home, XDG_CONFIG_HOME: '', TOOLWHARF_HOME: join(home, 'state') },
    });
    const run = (...args: readonly string[]) => toolwharf([...args, ...config()], options());

    beforeAll(() => {
      home = join(bench.path, 'killed');
      mkdirSync(home);
      writeFileSync(join(home, 'toolwharf.toml'), `[container]\nengine = "${containerBench.engine}"\n`);
    });

    test.each(['it fetches', 'its smoke test runs'])(
      'while %s leaves no image, no file and no process',
      async (moment) => {
        const isFetching = moment === 'it fetches';
        await push('tools/killed', '1', { 'answer.txt': moment });
        const before = await images();
        bench.write(boxFiles(`${registry.host}/tools/killed:1`, { ...passing, action: 'wait' }));
        const planned = await run('plan', source(), '--json', ...allow());
        const { digest } = JSON.parse(planned.stdout || '{}');
        expect(digest, planned.stderr).toMatch(/^\w{64}$/);
        const files = stateFiles(options().env.TOOLWHARF_HOME);
        registry.isHolding = isFetching;
        registry.requests.length = 0;
        const args = ['install', source(), '--agree', digest, ...allow(), ...config()];
        const env = { ...process.env, ...options().env };
        const child = spawn(process.execPath, [main, ...args], { cwd: home, env, stdio: 'ignore' });
        const ended = new Promise((done) => child.once('close', done));
        const isThere = async () =>
          isFetching
            ? registry.requests.some((it) => /GET .*\/blobs\//.test(it))
            : (await images()).length > before.length && containerBench.containers().length > 0;
        await expect.poll(isThere, { timeout: 30_000 }).toBe(true);
        child.kill('SIGKILL');
        await ended;
        await expect.poll(() => pullsOf(registry.host), { timeout: 5000 }).toEqual([]);
        registry.isHolding = false;
        // The next start undoes the rest.
        expect(await run('list')).toMatchObject({ code: 0 });
        expect(await images()).toEqual(before);
        expect(stateFiles(options().env.TOOLWHARF_HOME)).toEqual(files);
        await expect.poll(() => containerBench.containers(), { timeout: 10_000 }).toEqual([]);
        // Control: the same installation, not killed, leaves an image until it is removed.
        const done = await run('install', source(), '--agree', digest, '--skip-smoke', ...allow());
        expect(done).toMatchObject({ code: 0 });
        expect(await images()).not.toEqual(before);
        expect(await run('remove', 'box', '--yes')).toMatchObject({ code: 0 });
        expect(await images()).toEqual(before);
      },
      120_000,
    );

    test('at random instants leaves the images of its generations, and nothing else', async () => {
      const seed = Number(process.env.TOOLWHARF_SEED ?? Date.now() % 2 ** 32);
      const instants = fc.noBias(fc.record({ choice: fc.nat({ max: 2 }), part: fc.nat({ max: 999 }) }));
      const numRuns = Number(process.env.TOOLWHARF_KILLS ?? 8);
      const name = `${registry.host}/tools/random`;
      const digests: Record<string, string> = {};
      for (const version of ['1.0.0', '1.1.0'])
        digests[version] = `${name}@${await push('tools/random', version, { 'answer.txt': version })}`;
      const before = await images();
      const files = allFiles(options().env.TOOLWHARF_HOME);
      const served = async () => {
        const { code, stdout } = await run('history', 'box', '--json');
        const { generations = [] } = code === 0 ? JSON.parse(stdout) : {};
        return generations as { version: string; isCurrent: boolean }[];
      };
      const write = (version: string) => {
        const manifest = JSON.parse(boxFiles(`${name}:${version}`, passing)['box/toolspace.json']);
        manifest.tool.version = version;
        bench.write({ 'box/toolspace.json': JSON.stringify(manifest) });
      };
      const install = async (version: string) => {
        write(version);
        const { stdout } = await run('plan', source(), '--json', ...allow());
        return ['install', source(), '--agree', JSON.parse(stdout).digest, ...allow()];
      };
      const counts = { killed: 0, ended: 0 };
      for (const [round, { choice, part }] of fc.sample(instants, { seed, numRuns }).entries()) {
        const was = await served();
        const versions = was.map((it) => it.version);
        const args =
          was.length === 0
            ? await install('1.0.0')
            : was.length === 1
              ? await install('1.1.0')
              : ([
                  ['rollback', 'box', was[0]?.isCurrent === true ? '1' : '2'],
                  ['remove', 'box', '--yes'],
                  ['revoke', 'box', '--yes', '--done'],
                ][choice] as string[]);
        const env = { ...process.env, ...options().env };
        const all = [main, ...args, ...config()];
        const child = spawn(process.execPath, all, { cwd: home, env, stdio: 'ignore' });
        const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
        const afterMs = part * (args[0] === 'install' ? 4 : 1);
        const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
        const code = await ended;
        clearTimeout(timer);
        counts[code === null ? 'killed' : 'ended']++;
        const where = `seed ${seed}, round ${round}: ${args.slice(0, 2).join(' ')}, killed after ${afterMs} ms (${code})`;
        await expect.poll(() => pullsOf(registry.host), { timeout: 5000, message: where }).toEqual([]);
        // The next start undoes or finishes the rest.
        expect(await run('list'), where).toMatchObject({ code: 0 });
        const now = await served();
        const expected = now.map((it) => digests[it.version] as string);
        expect(await images(), where).toEqual([...before, ...expected].sort());
        await expect.poll(() => containerBench.containers(), { timeout: 10_000, message: where }).toEqual([]);
        if (now.length === 0) expect(allFiles(options().env.TOOLWHARF_HOME), where).toEqual(files);
        if (code === null && args[0] === 'install')
          expect([versions.length, versions.length + 1], where).toContain(now.length);
        if (now.length > 0 && now.some((it) => it.isCurrent))
          expect(await run('verify', 'box'), where).toMatchObject({ code: 0 });
      }
      // A kill can come after the end of a quick command, but not always.
      expect(counts.killed).toBeGreaterThan(0);
      if ((await served()).length > 0) expect(await run('remove', 'box', '--yes')).toMatchObject({ code: 0 });
      expect(await images()).toEqual(before);
    }, 300_000);
  });
});

/** `find STATE`, without the journals of the database, which come and go with its connections. */
function allFiles(state: string): string[] {
  const all = readdirSync(state, { recursive: true, encoding: 'utf8' });
  return all.filter((it) => !/\.db-(?:wal|shm)$/.test(it)).sort();
}

/** Processes of this machine whose arguments name the registry. */
function pullsOf(host: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return args.includes('pull') && args.some((it) => it.includes(host)) ? [pid] : [];
    } catch {
      return [];
    }
  });
}
