import { existsSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildSandbox, type InstallerResult, openBuildSandbox } from '../environment/build-sandbox.js';
import { makeFolderWithMode } from '../environment/file-tree.js';
import { HostError } from '../model/host-error.js';
import { certificateAuthorities } from '../net/certificate-authorities.js';
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

/** How long a server may send nothing. */
const defaultIdleMs = 30_000;
const programs = ['/usr/bin/git', '/usr/local/bin/git'];

export async function openGitRepository(url: string, options: AcquireOptions): Promise<GitRepository> {
  const program = programs.find((it) => existsSync(it));
  if (program === undefined)
    throw new HostError('runtime_missing', 'git is not installed', { hint: 'sudo apt-get install git' });
  const { services, signal } = options;
  const { sandbox, openEgress, buildFolder, newSocket } = services;
  makeFolderWithMode(buildFolder, 0o711);
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
  const idleSeconds = Math.ceil((services.timeouts?.idleMs ?? defaultIdleMs) / 1000);
  const work: Mount = { source: await build.writableFolder('git'), target: '/build', writable: true };
  const trust: Mount = { source: await build.readOnlyFolder('trust'), target: '/trust', writable: false };
  const inside = sandbox.inside(work);
  const certificates = certificateAuthorities(services.ca);
  await writeFile(join(trust.source, 'ca.pem'), `${certificates.join('\n')}\n`);
  const { host, port } = parseDestination(url);
  const network = {
    kind: 'host',
    reach: { hosts: [{ host, port }], granted: services.granted, denied: services.denied },
  } as const;
  await writeEmptyRepository(work.source, sandbox.user);
  const git = (args: readonly string[], online: boolean) =>
    build.run({
      name: `fetching ${host}`,
      mounts: [trust, work],
      argv: [program, ...gitSettings(join(sandbox.inside(trust), 'ca.pem'), idleSeconds), ...args],
      directory: join(inside, 'repository'),
      environment: { ...gitEnvironment(join(inside, 'home')), TMPDIR: inside },
      limitAddressSpace: false,
      network: online ? network : { kind: 'none' },
    });
  return {
    run: git,
    place: (name) => ({ inside: join(inside, name), outside: join(work.source, name) }),
    close: () => build.close(),
  };
}

/** What `git init --bare` would write, without hooks and with attributes that a repository cannot change. */
async function writeEmptyRepository(folder: string, user: { uid: number; gid: number }): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  for (const name of ['home', 'repository', 'repository/objects', 'repository/refs', 'repository/info']) {
    const path = join(folder, name);
    await mkdir(path);
    if (isRoot) await chown(path, user.uid, user.gid);
  }
  const files = {
    HEAD: 'ref: refs/heads/main\n',
    config: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
    'info/attributes': gitAttributes,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'repository', name), text);
}
