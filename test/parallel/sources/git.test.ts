// Packages from git: the real git in the sandbox, from the real `git http-backend` over TLS on loopback.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GitSource } from '../../../src/model/source.js';
import { acquireSource, resolveSource } from '../../../src/sources/acquire.js';
import { git, gitHandler } from '../../support/git-server.js';
import { filesIn, hostErrorOf, type SourcesBench, sourcesBench } from '../../support/sources-bench.js';

let bench: SourcesBench;
let work: string;
let first: string;
let url: string;
const { signal } = new AbortController();

beforeAll(async () => {
  bench = await sourcesBench();
  bench.handler = gitHandler(join(bench.base, 'served'));
  mkdirSync(join(bench.base, 'served'));
  work = join(bench.base, 'work');
  mkdirSync(join(work, 'tools/one'), { recursive: true });
  git(work, 'init', '--quiet');
  writeFileSync(join(work, 'findagent.json'), '{"name":"From git"}');
  writeFileSync(join(work, 'tools/one/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(work, 'kept.txt'), '$Format:%H$\n');
  symlinkSync('kept.txt', join(work, 'link.txt'));
  writeFileSync(
    join(work, '.gitattributes'),
    'kept.txt export-subst text eol=crlf\nfindagent.json export-ignore\n*.sh filter=lfs\n',
  );
  git(work, 'add', '-A');
  git(work, 'commit', '--quiet', '-m', 'first');
  first = git(work, 'rev-parse', 'HEAD');
  git(work, 'tag', '-a', 'v1', '-m', 'one');
  git(bench.base, 'clone', '--quiet', '--bare', 'work', 'served/repo.git');
  url = `${bench.origin}/repo.git`;
});
afterAll(() => bench.close());

const options = () => ({ services: bench.services, signal });
const source = (revision: string, subfolder?: string): GitSource => ({
  kind: 'git',
  url,
  revision,
  ...(subfolder === undefined ? {} : { subfolder }),
});

/** Publishes a new commit on main. */
function publish(text: string): string {
  writeFileSync(join(work, 'new.txt'), text);
  git(work, 'add', '-A');
  git(work, 'commit', '--quiet', '-m', text);
  git(work, 'push', '--quiet', '--force', join(bench.base, 'served/repo.git'), 'main', '--tags');
  return git(work, 'rev-parse', 'HEAD');
}

describe('a git source', () => {
  test('by tag, branch and commit gives the files exactly as they were committed, and the full commit', async () => {
    const byTag = await acquireSource(source('v1'), options());
    expect(byTag.locked).toEqual({ ...source('v1'), commit: first });
    expect(filesIn(byTag.folder)).toEqual({
      '.gitattributes': expect.any(String),
      'findagent.json': '{"name":"From git"}',
      'kept.txt': '$Format:%H$\n',
      'link.txt': '$Format:%H$\n',
      'tools/one/run.sh': '#!/bin/sh\n',
    });
    const byBranch = await acquireSource(source('main'), options());
    const byCommit = await acquireSource(source(first), options());
    expect([byBranch.tree, byCommit.tree]).toEqual([byTag.tree, byTag.tree]);
    expect(await resolveSource(source('main'), options())).toMatchObject({ commit: first });
    expect(bench.listing().filter((it) => /building\/|staging\//.test(it))).toEqual([]);
  });

  test('may be a folder of the repository', async () => {
    const { folder, locked } = await acquireSource(source('v1', 'tools/one'), options());
    expect(filesIn(folder)).toEqual({ 'run.sh': '#!/bin/sh\n' });
    expect(locked).toMatchObject({ subfolder: 'tools/one', commit: first });
    const missing = await hostErrorOf(acquireSource(source('v1', 'tools/two'), options()));
    expect(missing).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('has no folder tools/two'),
    });
    const file = await hostErrorOf(acquireSource(source('v1', 'kept.txt'), options()));
    expect(file.code).toBe('not_found');
  });

  test('that is locked gives the same files after the branch went on, and reports a tag that was moved', async () => {
    const locked = { ...source('main'), commit: first };
    const tagged = { ...source('v1'), commit: first };
    const before = await acquireSource(tagged, options());
    const second = publish('second');
    const branch = await acquireSource(locked, options());
    expect([branch.tree, branch.notes]).toEqual([before.tree, []]);
    git(work, 'tag', '-f', '-a', 'v1', '-m', 'moved');
    publish('third');
    const moved = await acquireSource(tagged, options());
    expect(moved.tree).toBe(before.tree);
    expect(moved.notes).toEqual([
      { code: 'moved', text: expect.stringContaining(`the lock has ${first}, now it is ${second}`) },
    ]);
    expect((await acquireSource(source('v1'), options())).locked).toMatchObject({ commit: second });
  });

  test('whose locked commit is gone fails with exit code 6 and names both commits', async () => {
    const commit = 'd'.repeat(40);
    const error = await hostErrorOf(acquireSource({ ...source('main'), commit }, options()));
    expect(error.code).toBe('integrity');
    expect(error.message).toContain(commit);
  });

  test('with an unknown revision or repository is not found', async () => {
    const revision = await hostErrorOf(acquireSource(source('v9'), options()));
    expect(revision).toMatchObject({ code: 'not_found', message: `${url} has no tag or branch v9` });
    const short = await hostErrorOf(acquireSource(source(first.slice(0, 8)), options()));
    expect(short.hint).toBe('write the full commit id');
    const other = await hostErrorOf(
      acquireSource({ ...source('v1'), url: `${bench.origin}/none.git` }, options()),
    );
    expect(other).toMatchObject({
      code: 'not_found',
      message: `there is no git repository at ${bench.origin}/none.git`,
    });
  });

  test('on a private address needs a grant, and an unknown certificate is not trusted', async () => {
    const before = bench.requests.length;
    const denied = await hostErrorOf(
      acquireSource(source('v1'), { services: bench.with({ granted: [] }), signal }),
    );
    expect(denied.code).toBe('network_denied');
    const untrusted = await hostErrorOf(
      acquireSource(source('v1'), { services: bench.with({ ca: undefined }), signal }),
    );
    expect(untrusted).toMatchObject({
      code: 'network_failed',
      hint: 'for a private certificate authority, set net.ca_file',
    });
    expect(bench.requests.length).toBe(before);
  });

  test('that is canceled leaves nothing behind', async () => {
    const before = bench.listing();
    const controller = new AbortController();
    const steps: string[] = [];
    const work = acquireSource(source('main'), {
      services: bench.services,
      signal: controller.signal,
      onProgress({ step }) {
        steps.push(step);
        if (step === 'download') controller.abort();
      },
    });
    expect((await hostErrorOf(work)).code).toBe('canceled');
    expect(steps).toEqual(['resolve', 'download']);
    expect(bench.listing()).toEqual(before);
  });
});
