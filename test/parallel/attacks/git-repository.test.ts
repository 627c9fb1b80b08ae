// A hostile git server and repository: hooks, other protocols, submodules and credential helpers are never used.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acquireSource } from '../../../src/sources/acquire.js';
import { gitEnvironment, gitSettings } from '../../../src/sources/git-settings.js';
import { git, gitHandler } from '../../support/git-server.js';
import { filesIn, hostErrorOf, type SourcesBench, sourcesBench } from '../../support/sources-bench.js';

let bench: SourcesBench;
let work: string;
const { signal } = new AbortController();

beforeAll(async () => {
  bench = await sourcesBench();
  bench.handler = gitHandler(join(bench.base, 'served'));
  mkdirSync(join(bench.base, 'served'));
  work = join(bench.base, 'work');
  mkdirSync(work);
  git(work, 'init', '--quiet');
  writeFileSync(join(work, 'findagent.json'), '{"name":"From git"}');
  writeFileSync(
    join(work, '.gitmodules'),
    `[submodule "x"]\n\tpath = x\n\turl = ${bench.origin}/other.git\n`,
  );
  git(work, 'add', '-A');
  git(work, 'update-index', '--add', '--cacheinfo', `160000,${'a'.repeat(40)},x`);
  git(work, 'commit', '--quiet', '-m', 'one');
  git(bench.base, 'clone', '--quiet', '--bare', 'work', 'served/repo.git');
});
afterAll(() => bench.close());

test('a submodule is not fetched', async () => {
  const { folder } = await acquireSource(
    { kind: 'git', url: `${bench.origin}/repo.git`, revision: 'main' },
    { services: bench.services, signal },
  );
  expect(Object.keys(filesIn(folder)).sort()).toEqual(['.gitmodules', 'findagent.json']);
  expect(bench.requests.filter((it) => it.includes('other.git'))).toEqual([]);
});

describe('programs that git would start', () => {
  let folder: string;
  let marker: string;
  const user = process.getuid?.() === 0 ? { uid: 65532, gid: 65532 } : {};

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'git-programs-'));
    marker = join(folder, 'started');
    const helper = join(folder, 'helper.sh');
    writeFileSync(helper, `#!/bin/sh\ntouch ${marker}\n`);
    writeFileSync(join(folder, '.gitconfig'), `[alias]\n\trun = "!${helper}"\n`);
    chmodSync(helper, 0o755);
    for (const it of ['.', 'helper.sh', '.gitconfig'])
      if (user.uid !== undefined) chownSync(join(folder, it), user.uid, user.gid);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs git without the sandbox: only its own settings protect, or nothing. */
  function run(isProtected: boolean, args: readonly string[]): boolean {
    const settings = isProtected ? gitSettings('/dev/null', 30) : ['-c', 'protocol.ext.allow=always'];
    const environment = isProtected ? gitEnvironment(folder) : { HOME: folder };
    spawnSync('/usr/bin/git', [...settings, ...args], {
      ...user,
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', ...environment },
    });
    const started = existsSync(marker);
    rmSync(marker, { force: true });
    return started;
  }

  test('from the settings of the user are not started', () => {
    expect([run(true, ['run']), run(false, ['run'])]).toEqual([false, true]);
  });

  test('from another protocol are not started', () => {
    const args = ['ls-remote', `ext::touch ${marker}`];
    expect([run(true, args), run(false, args)]).toEqual([false, true]);
  });

  test('from hooks are not started', () => {
    run(false, ['init', '--quiet', '--bare', 'repository']);
    const hook = join(folder, 'repository/hooks/reference-transaction');
    mkdirSync(join(folder, 'repository/hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\n`);
    chmodSync(hook, 0o755);
    const args = ['--git-dir=repository', 'symbolic-ref', 'refs/x', 'refs/heads/main'];
    const update = ['--git-dir=repository', 'pack-refs', '--all'];
    run(false, args);
    expect([run(true, update), run(false, update)]).toEqual([false, true]);
  });
});

test('a server that redirects to another host is not followed there', async () => {
  const other = await sourcesBench();
  try {
    const before = bench.handler;
    bench.handler = (request, response) =>
      response.writeHead(302, { location: `${other.origin}${request.url}` }).end();
    const error = await hostErrorOf(
      acquireSource(
        { kind: 'git', url: `${bench.origin}/repo.git`, revision: 'main' },
        { services: bench.services, signal },
      ),
    );
    bench.handler = before;
    expect(error.code).toBe('network_denied');
    expect(other.requests).toEqual([]);
  } finally {
    await other.close();
  }
});

test('a revision or URL can never be an option or another protocol of git', async () => {
  const marker = join(bench.base, 'started');
  for (const source of [
    { kind: 'git', url: `${bench.origin}/repo.git`, revision: `--upload-pack=touch ${marker}` },
    { kind: 'git', url: `ext::sh -c "touch ${marker}"`, revision: 'main' },
    { kind: 'git', url: `file://${bench.base}/served/repo.git`, revision: 'main' },
  ] as const)
    await hostErrorOf(acquireSource(source, { services: bench.services, signal }));
  expect(existsSync(marker)).toBe(false);
});
