// A real PostgreSQL (Debian's postgresql) on loopback, in a temporary folder. It never runs as root.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
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
  /** Without a password. */
  readonly url: string;
  /** Ends the server at once; connections are lost. */
  stop(): Promise<void>;
  /** Starts it again, at the same address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** `password`: connections need it. Without one the server trusts everybody who reaches it. */
export async function startPostgres({ password }: { readonly password?: string } = {}): Promise<Postgres> {
  const bin = programs();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const folder = temporaryFolder();
  if (isRoot) chownSync(folder.path, nobody, nobody);
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' };
  const data = join(folder.path, 'data');
  const passwordFile = join(folder.path, 'password');
  if (password !== undefined) {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (isRoot) chownSync(passwordFile, nobody, nobody);
  }
  const access =
    password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'test', ...access, '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'],
    { ...user, cwd: '/', env: environment, stdio: 'ignore' },
  );
  const port = await freePort();
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined) return;
    const ended = new Promise<void>((done) => running.once('close', () => done()));
    running.kill('SIGINT');
    await ended;
  };
  const start = async (): Promise<void> => {
    const started = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder.path, '-c', 'fsync=off'],
      { ...user, cwd: '/', env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    try {
      await isReady(started);
    } catch (error) {
      started.kill('SIGKILL');
      throw error;
    }
    child = started;
  };
  try {
    await start();
  } catch (error) {
    folder.remove();
    throw error;
  }
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    stop,
    start,
    async close() {
      await stop();
      folder.remove();
    },
  };
}

/** A new, empty database of a server, and its URL. */
export async function newDatabase({ url }: Pick<Postgres, 'url'>, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return new URL(`/${name}`, url).href;
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
