import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Package } from '../../model/package.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { SandboxProfile } from '../launch.js';
import type { ProcessServices } from '../spawn.js';
import { ownerOf, workerPlan } from './plan.js';

const folder = mkdtempSync(join(tmpdir(), 'toolwharf-plan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const root = join(folder, 'root');
mkdirSync(root);
const interpreter = { path: '/usr/bin/node', version: '20.0.0', mounts: [] };
const base = {
  package: {
    id: 'pack',
    slots: [],
    programs: [
      {
        name: 'main',
        target: {
          kind: 'process',
          directory: '.',
          runtime: { language: 'node' },
          command: [{ parts: [{ kind: 'text', text: 'index.mjs' }] }],
          environment: [],
        },
      },
    ],
  } as unknown as Package,
  digest: 'd1',
  principal: 'alice/cli',
  files: '/staged/1',
  roots: [{ source: root, target: root, writable: false }],
  hidden: [],
  state: null,
  slots: new Map(),
  limits: { cpuSeconds: 1, processes: 1, openFiles: 1, memoryBytes: 1, diskBytes: 1 },
  network: null,
  grantee: '',
  runtimes: new Map([['main', { interpreter, packages: null }]]),
} as unknown as SandboxProfile;
const machine = (): ProcessServices => ({
  sandbox: { inside: ({ target }: { target: string }) => target } as unknown as Sandbox,
  newSocket: () => '',
});
const action = { kind: 'function', program: 'main', export: 'run', convention: 'arguments' } as never;

describe('a plan', () => {
  const here = machine();
  const plan = (change: Partial<SandboxProfile> = {}, on = here) =>
    workerPlan(action, {}, { ...base, ...change }, on);

  test('is remembered while nothing is different', () => {
    expect(plan()).toBe(plan());
    expect(plan({ runtimes: new Map(base.runtimes) })).toBe(plan());
    expect(ownerOf(plan().key)).toEqual({ package: 'pack', principal: 'alice/cli' });
  });

  test.each([
    ['other code', { digest: 'd2' }],
    ['another caller', { principal: 'bob/cli' }],
    ['other files', { files: '/staged/2' }],
    ['a writable workspace', { roots: [{ source: root, target: root, writable: true }] }],
    ['no workspace', { roots: [] }],
    ['something hidden', { hidden: [join(root, '.env')] }],
    ['a folder of its own', { state: '/state/pack' }],
    ['other limits', { limits: { ...base.limits, cpuSeconds: 2 } }],
    [
      'a way out',
      {
        network: {
          reach: { hosts: [], granted: [] },
          anyPublic: true,
          secret: false,
        } as SandboxProfile['network'],
      },
    ],
    [
      'another interpreter',
      {
        runtimes: new Map([
          ['main', { interpreter: { ...interpreter, path: '/usr/local/bin/node' }, packages: null }],
        ]),
      },
    ],
    ['language packages', { runtimes: new Map([['main', { interpreter, packages: '/environments/1' }]]) }],
  ] as [string, Partial<SandboxProfile>][])('with %s is another, with another key', (_, change) => {
    expect(plan(change).key).not.toBe(plan().key);
    expect(plan(change)).toBe(plan(change));
  });

  test('is another when a folder behind a path was made anew', () => {
    const before = plan();
    rmSync(root, { recursive: true });
    mkdirSync(join(folder, 'keeps-the-inode'));
    mkdirSync(root);
    expect(plan().key).not.toBe(before.key);
  });

  test('is not remembered with values, and says nothing of them', () => {
    const value = ['very', 'private'].join('-');
    const slots = new Map([['token', { value, secret: true, recipients: { kind: 'any' } }]]) as never;
    expect(plan({ slots })).not.toBe(plan({ slots }));
    expect(plan({ slots }).key).not.toContain(value);
  });

  test('belongs to one machine', () => {
    expect(plan({}, machine())).not.toBe(plan());
  });
});
