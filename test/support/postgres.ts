// A real PostgreSQL (Debian's postgresql) on loopback, in a temporary folder. It never runs as root.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isRoot } from './not-run.js';
import { temporaryFolder } from './toolwharf.js';

const versions = '/usr/lib/postgresql';
/** The user "nobody". */
const nobody = 65_534;

function programs(): string | undefined {
  if (!existsSync(versions)) return undefined;
  const newest = readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0];
  const folder = join(versions, newest ?? '', 'bin');
  return existsSync(join(folder, 'initdb')) ? folder : undefined;
}

export const noPostgres = programs() === undefined ? ' (needs PostgreSQL)' : '';

export interface Postgres {
  readonly url: string;
  close(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const bin = programs();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const folder = temporaryFolder();
  if (isRoot) chownSync(folder.path, nobody, nobody);
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' };
  const data = join(folder.path, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'test', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'],
    { ...user, cwd: '/', env: environment, stdio: 'ignore' },
  );
  const port = await freePort();
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder.path, '-c', 'fsync=off'],
    { ...user, cwd: '/', env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  try {
    await isReady(child);
  } catch (error) {
    child.kill('SIGKILL');
    folder.remove();
    throw error;
  }
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    async close() {
      const ended = new Promise<void>((done) => child.once('close', () => done()));
      child.kill('SIGINT');
      await ended;
      folder.remove();
    },
  };
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('ready to accept connections')) resolve();
    });
    child.once('close', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${text}`)));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
