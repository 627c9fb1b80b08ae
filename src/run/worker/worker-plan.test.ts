import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Package } from '../../model/package.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { SandboxProfile } from '../sandbox-command.js';
import { packageOfKey, WorkerPlans } from './worker-plan.js';

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
  owner: { principal: 'alice/cli', id: 'alice/cli /a' },
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
const newPlans = () =>
  new WorkerPlans({ inside: ({ target }: { target: string }) => target } as unknown as Sandbox);
const action = { kind: 'function', program: 'main', export: 'run', convention: 'arguments' } as never;

describe('a worker plan', () => {
  const here = newPlans();
  const plan = (change: Partial<SandboxProfile> = {}, of = here) =>
    of.get(action, {}, { ...base, ...change });

  test('is cached while nothing changes', () => {
    expect(plan()).toBe(plan());
    expect(plan({ runtimes: new Map(base.runtimes) })).toBe(plan());
    expect(packageOfKey(plan().key)).toBe('pack');
  });

  test.each([
    ['other code', { digest: 'd2' }],
    ['another caller', { owner: { principal: 'bob/cli', id: 'bob/cli /a' } }],
    ['another client or workspace', { owner: { principal: 'alice/cli', id: 'alice/cli /b' } }],
    ['other files', { packageFolder: '/staged/2' }],
    ['a writable workspace', { roots: [{ source: root, target: root, writable: true }] }],
    ['no workspace', { roots: [] }],
    ['a hidden path', { hidden: [join(root, '.env')] }],
    ['a data folder', { dataFolder: '/state/pack' }],
    ['other limits', { limits: { ...base.limits, cpuSeconds: 2 } }],
    [
      'network access',
      {
        network: {
          reach: { hosts: [], granted: [] },
          anyPublic: true,
          holdsSecret: false,
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
  ] as [string, Partial<SandboxProfile>][])('with %s differs and has another key', (_, change) => {
    expect(plan(change).key).not.toBe(plan().key);
    expect(plan(change)).toBe(plan(change));
  });

  test('differs after a mounted folder was deleted and created again', () => {
    const before = plan();
    rmSync(root, { recursive: true });
    mkdirSync(join(folder, 'keeps-the-inode'));
    mkdirSync(root);
    expect(plan().key).not.toBe(before.key);
  });

  test('with slot values is not cached by key, and its key does not contain them', () => {
    const value = ['very', 'private'].join('-');
    const slots = new Map([['token', { value, secret: true, recipients: { kind: 'any' } }]]) as never;
    expect(plan({ slots })).not.toBe(plan({ slots }));
    expect(plan({ slots }).key).not.toContain(value);
  });

  test('belongs to one pool', () => {
    expect(plan({}, newPlans())).not.toBe(plan());
  });

  test('is found by its profile if nothing is mounted', () => {
    const profile = { ...base, roots: [] };
    expect(here.get(action, {}, profile)).toBe(here.get(action, {}, profile));
    const slots = new Map([['token', { value: 'x', secret: true, recipients: { kind: 'any' } }]]) as never;
    const withValues = { ...profile, slots };
    expect(here.get(action, {}, withValues)).toBe(here.get(action, {}, withValues));
    expect(here.get(action, {}, withValues)).not.toBe(here.get(action, {}, profile));
  });
});
