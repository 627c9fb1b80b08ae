import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallerResult } from '../environment/build-sandbox.js';
import { HostError } from '../model/host-error.js';
import { lastLines } from '../model/last-lines.js';
import type { GitSource, LockedSource } from '../model/source.js';
import type { FetchedSource, FetchOptions } from './fetched-source.js';
import { type GitRepository, openGitRepository } from './git-repository.js';
import type { AcquireOptions, SourceNote } from './source.js';

type LockedGit = Extract<LockedSource, { kind: 'git' }>;

/** What a revision means on the server now. */
interface RemoteRevision {
  readonly commit: string;
  readonly kind: 'commit' | 'tag' | 'branch';
  /** What to ask the server for. */
  readonly wanted: string;
}

const fullCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit of a branch or tag, without fetching anything. */
export async function resolveGitSource(
  source: GitSource,
  options: AcquireOptions,
): Promise<{ readonly locked: LockedGit; readonly isTag: boolean }> {
  options.onProgress?.({ step: 'resolve', detail: source.url });
  if (fullCommit.test(source.revision))
    return { locked: { ...source, commit: source.revision }, isTag: false };
  const repository = await openGitRepository(source.url, options);
  try {
    const { commit, kind } = await lookUp(source, repository);
    return { locked: { ...source, commit }, isTag: kind === 'tag' };
  } finally {
    await repository.close();
  }
}

/** Fetches the files of one commit. git itself runs in the sandbox and can reach only this host. */
export async function fetchGit(
  source: GitSource | LockedGit,
  options: FetchOptions,
): Promise<FetchedSource<LockedGit>> {
  options.onProgress?.({ step: 'resolve', detail: source.url });
  const repository = await openGitRepository(source.url, options);
  try {
    const found = await lookUp(source, repository);
    const commit = 'commit' in source ? source.commit : found.commit;
    options.onProgress?.({ step: 'download', detail: source.url });
    const path = await fetchTree(source, commit, found, repository, options.folder);
    const { kind, url, revision, subfolder } = source;
    return {
      locked: { kind, url, revision, ...(subfolder === undefined ? {} : { subfolder }), commit },
      content: { kind: 'archive', path, withoutTopFolder: false },
      notes: movedNotes(source, found),
      isTag: found.kind === 'tag',
    };
  } finally {
    await repository.close();
  }
}

/** A branch is expected to move; a tag is not. */
function movedNotes(source: GitSource | LockedGit, found: RemoteRevision): readonly SourceNote[] {
  if (!('commit' in source) || found.kind !== 'tag' || found.commit === source.commit) return [];
  const text = `the tag ${source.revision} of ${source.url} was moved: the lock has ${source.commit}, now it is ${found.commit}`;
  return [{ code: 'moved', text }];
}

async function lookUp(source: GitSource | LockedGit, repository: GitRepository): Promise<RemoteRevision> {
  const { url, revision } = source;
  if (fullCommit.test(revision)) return { commit: revision, kind: 'commit', wanted: revision };
  const names = revision.startsWith('refs/')
    ? [revision, `${revision}^{}`]
    : [`refs/tags/${revision}`, `refs/tags/${revision}^{}`, `refs/heads/${revision}`];
  const result = await repository.run(['ls-remote', '--quiet', '--', url, ...names], true);
  if (!result.ok) throw gitFailure(result, url);
  const refs = new Map<string, string>();
  for (const line of result.stdout.split('\n')) {
    const [commit = '', name = ''] = line.split('\t');
    if (fullCommit.test(commit) && names.includes(name)) refs.set(name, commit);
  }
  // An annotated tag is an object of its own; "^{}" is the commit that it names.
  const commitOf = (name: string) => refs.get(`${name}^{}`) ?? refs.get(name);
  const given = revision.startsWith('refs/') ? commitOf(revision) : undefined;
  if (given !== undefined) {
    const kind = revision.startsWith('refs/tags/') ? 'tag' : 'branch';
    return { commit: given, kind, wanted: revision };
  }
  const tag = commitOf(`refs/tags/${revision}`);
  const branch = refs.get(`refs/heads/${revision}`);
  if (tag !== undefined && branch !== undefined && tag !== branch)
    throw new HostError('usage', `${url} has both a tag and a branch ${revision}`, {
      hint: `write refs/tags/${revision} or refs/heads/${revision}`,
    });
  if (tag !== undefined) return { commit: tag, kind: 'tag', wanted: `refs/tags/${revision}` };
  if (branch !== undefined) return { commit: branch, kind: 'branch', wanted: `refs/heads/${revision}` };
  // The tag may be gone, but the commit of a lock can still be fetched.
  if ('commit' in source) return { commit: source.commit, kind: 'commit', wanted: source.commit };
  throw new HostError('not_found', `${url} has no tag or branch ${revision}`, {
    hint: /^[0-9a-f]{4,39}$/.test(revision) ? 'write the full commit id' : 'check the spelling',
  });
}

/** Fetches only this commit if the server allows that, else all branches and tags. Returns the path of its files as tar. */
async function fetchTree(
  { url, subfolder }: GitSource,
  commit: string,
  found: RemoteRevision,
  repository: GitRepository,
  folder: string,
): Promise<string> {
  const common = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const wanted = found.commit === commit ? found.wanted : commit;
  const shallow = await repository.run([...common, '--depth=1', '--', url, `${wanted}:refs/wanted`], true);
  // The commit is named by its hash, so that what is exported is certainly this commit.
  const tree = subfolder === undefined ? commit : `${commit}:${subfolder}`;
  const { inside, outside } = repository.place('export.tar');
  const archive = () => repository.run(['archive', '--format=tar', `--output=${inside}`, tree], false);
  let exported = shallow.ok ? await archive() : shallow;
  if (!exported.ok && !(await has(commit, repository))) {
    const all = ['+refs/heads/*:refs/all/heads/*', '+refs/tags/*:refs/all/tags/*'];
    const whole = await repository.run([...common, '--', url, ...all], true);
    if (!whole.ok) throw gitFailure(shallow.ok ? whole : shallow, url);
    exported = await archive();
    if (!exported.ok && !(await has(commit, repository)))
      throw new HostError(
        'integrity',
        `${url} no longer has the commit: expected ${commit}, found ${found.commit}`,
        { hint: 'ask the author why the history was changed' },
      );
  }
  if (!exported.ok)
    throw subfolder === undefined
      ? gitFailure(exported, url)
      : new HostError('not_found', `${url} has no folder ${subfolder} at ${commit}`, {
          hint: 'check the part after ":"',
        });
  // Out of the folder that sandboxed processes can write to.
  const path = join(folder, 'export.tar');
  await rename(outside, path);
  return path;
}

async function has(commit: string, repository: GitRepository): Promise<boolean> {
  const args = ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`];
  const { ok, stdout } = await repository.run(args, false);
  return ok && stdout.trim() === commit;
}

/** git has one exit code for all failures, so its text selects the message; the failure itself is certain. */
function gitFailure(result: InstallerResult, url: string): HostError {
  // What the address itself contains, such as a port, says nothing about the failure.
  const text = result.stderr.replaceAll(url, 'the repository');
  const { host } = new URL(url);
  if (result.deniedHosts.length > 0)
    return new HostError('network_denied', `git may not reach ${result.deniedHosts.join(', ')} for ${url}`, {
      hint: result.deniedHosts.some((it) => it === host || it === `${host}:443`)
        ? `a private address needs a grant: --allow toolwharf=net:${host}`
        : `only ${host} is allowed`,
    });
  if (/too slow|timed out/i.test(text))
    return new HostError('timeout', `${host} did not answer in time while git read ${url}`, {
      hint: 'try again later',
    });
  if (/not found|does not exist|returned error: 404/i.test(text))
    return new HostError('not_found', `there is no git repository at ${url}`, { hint: 'check the spelling' });
  if (/Authentication failed|could not read Username|returned error: 40[13]/i.test(text))
    return new HostError('network_failed', `${host} does not allow reading ${url} without a login`, {
      hint: 'check that it is public',
    });
  if (/certificate/i.test(text))
    return new HostError('network_failed', `the certificate of ${host} is not trusted`, {
      hint: 'for a private certificate authority, set net.ca_file',
    });
  if (/fsck|unpack-objects|index-pack|bad object|hash mismatch/i.test(text))
    return new HostError(
      'integrity',
      `${url} sent damaged or forbidden objects:\n${lastLines(result.stderr)}`,
    );
  return new HostError('network_failed', `git could not read ${url}:\n${lastLines(result.stderr)}`, {
    hint: 'try again',
  });
}
