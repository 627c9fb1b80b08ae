import { existsSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { type BuildSandbox, type InstallerResult, openBuildSandbox } from '../environment/build-sandbox.js';
import { makeFolderWithMode } from '../environment/file-tree.js';
import { HostError } from '../model/host-error.js';
import { lastLines } from '../model/last-lines.js';
import { parseDestination } from '../net/destination.js';
import type { Mount } from '../sandbox/sandbox.js';
import { gitAttributes, gitEnvironment, gitSettings } from './git-settings.js';
import type { AcquireOptions } from './source.js';

/** An empty repository in the sandbox, with network access to one host. */
export interface GitRepository {
  /** Runs git in the repository. `network`: whether it may reach the host. */
  run(args: readonly string[], network: boolean): Promise<InstallerResult>;
  /** The path of a file of the repository's folder: for git, and on this machine. */
  place(name: string): { readonly inside: string; readonly outside: string };
  close(): Promise<void>;
}

const programs = ['/usr/bin/git', '/usr/local/bin/git'];

export async function openGitRepository(url: string, options: AcquireOptions): Promise<GitRepository> {
  const program = programs.find((it) => existsSync(it));
  if (program === undefined)
    throw new HostError('runtime_missing', 'git is not installed', { hint: 'sudo apt-get install git' });
  const { services, signal } = options;
  const { sandbox, openEgress, buildFolder, newSocket } = services;
  await makeFolderWithMode(buildFolder, 0o711);
  const build = await openBuildSandbox(
    {
      folder: buildFolder,
      name: services.newName(),
      sandbox,
      openEgress,
      ...(newSocket === undefined ? {} : { newSocket }),
    },
    signal,
  );
  try {
    return await repositoryIn(build, program, url, options);
  } catch (error) {
    await build.close();
    throw error;
  }
}

async function repositoryIn(
  build: BuildSandbox,
  program: string,
  url: string,
  { services }: AcquireOptions,
): Promise<GitRepository> {
  const { sandbox } = services;
  const work: Mount = { source: await build.writableFolder('git'), target: '/build', writable: true };
  const trust: Mount = { source: await build.readOnlyFolder('trust'), target: '/trust', writable: false };
  const inside = sandbox.inside(work);
  const certificates = [...rootCertificates, ...(services.ca === undefined ? [] : [services.ca])];
  await writeFile(join(trust.source, 'ca.pem'), `${certificates.join('\n')}\n`);
  const { host, port } = parseDestination(url);
  const network = {
    kind: 'host',
    reach: { hosts: [{ host, port }], granted: services.granted, denied: services.denied },
  } as const;
  const home = await ownFolder(join(work.source, 'home'), sandbox.user);
  const git = async (args: readonly string[], online: boolean, directory: string) =>
    build.run({
      name: `fetching ${host}`,
      mounts: [trust, work],
      argv: [program, ...gitSettings(join(sandbox.inside(trust), 'ca.pem')), ...args],
      directory,
      environment: { ...gitEnvironment(join(inside, home)), TMPDIR: inside },
      limitAddressSpace: false,
      network: online ? network : { kind: 'none' },
    });
  // An empty template: no hooks, and attributes that the repository cannot change.
  const template = await ownFolder(join(work.source, 'template', 'info'), sandbox.user, 'template');
  await writeFile(join(work.source, 'template', 'info', 'attributes'), gitAttributes);
  const created = await git(
    ['init', '--quiet', '--bare', `--template=${join(inside, template)}`, join(inside, 'repository')],
    false,
    inside,
  );
  if (!created.ok)
    throw new HostError(
      'upstream_failed',
      `git could not create a repository:\n${lastLines(created.stderr)}`,
    );
  return {
    run: (args, online) => git(args, online, join(inside, 'repository')),
    place: (name) => ({ inside: join(inside, name), outside: join(work.source, name) }),
    close: () => build.close(),
  };
}

/** A folder that sandboxed processes can use. Returns its name, or the given one. */
async function ownFolder(path: string, user: { uid: number; gid: number }, name?: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if (process.getuid?.() === 0) await chown(path, user.uid, user.gid);
  return name ?? (path.split('/').at(-1) as string);
}
