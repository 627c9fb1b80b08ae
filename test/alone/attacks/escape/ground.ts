import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '../../../../src/sandbox/process/process-identity.js';
import type { Place } from './attempt.js';
import { isRoot } from './run.js';
import { startVictim, victimFolder } from './victim.js';

/** The targets of the attempts, and how to remove them. */
export interface Ground {
  readonly folder: string;
  readonly place: Place;
  remove(): Promise<void>;
}

/** Creates files, listeners and a process for the test; nothing else is ever attacked. */
export async function prepareGround(): Promise<Ground> {
  const { user, spawnAs } = processIdentity();
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-escape-'));
  chmodSync(folder, 0o755);
  const make = (name: string, mode: number) => {
    mkdirSync(join(folder, name), { recursive: true });
    if (isRoot) chownSync(join(folder, name), user.uid, user.gid);
    chmodSync(join(folder, name), mode);
  };
  const write = (name: string, mode: number) => {
    writeFileSync(join(folder, name), 'REACHED\n');
    if (isRoot) chownSync(join(folder, name), user.uid, user.gid);
    chmodSync(join(folder, name), mode);
  };
  write('secret.txt', 0o644);
  for (const it of ['home', 'home/.ssh', 'state']) make(it, 0o700);
  write('home/.ssh/id_ed25519', 0o600);
  write('state/toolwharf.db', 0o600);
  for (const it of ['packages', 'packages/mine', 'packages/other', 'victim']) make(it, 0o755);
  write('packages/other/main.py', 0o644);
  write('victim/note.txt', 0o644);
  make('open', 0o777);

  const [four, six, datagrams] = await Promise.all([listen('127.0.0.1'), listen('::1'), answerDatagrams()]);
  const { victim, process: child } = await startVictim(victimFolder(folder), spawnAs ?? {});
  return {
    folder,
    place: {
      secret: join(folder, 'secret.txt'),
      key: join(folder, 'home/.ssh/id_ed25519'),
      packages: join(folder, 'packages'),
      state: join(folder, 'state'),
      open: join(folder, 'open'),
      port: portOf(four),
      port6: portOf(six),
      datagramPort: (datagrams.address() as AddressInfo).port,
      victim,
      special: isRoot ? specialFiles(folder) : null,
    },
    async remove() {
      child.stdin?.end();
      await new Promise((resolve) => child.once('close', resolve));
      four?.close();
      six?.close();
      datagrams.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A device that returns zeros, and a set-uid program of another user. */
function specialFiles(folder: string): { device: string; setUser: string } {
  const device = join(folder, 'device');
  execFileSync('mknod', [device, 'c', '1', '5']);
  chmodSync(device, 0o666);
  const setUser = join(folder, 'set-user');
  copyFileSync('/usr/bin/id', setUser);
  chownSync(setUser, 65531, 65531);
  chmodSync(setUser, 0o4755);
  return { device, setUser };
}

/** Undefined if the machine does not have the address. */
function listen(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('REACHED\n');
  });
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(0, address, () => resolve(server));
  });
}

function portOf(server: Server | undefined): number {
  return server === undefined ? 9 : (server.address() as AddressInfo).port;
}

function answerDatagrams(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (_, from) => socket.send('REACHED\n', from.port, from.address));
  return new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(socket)));
}
