// What follows from announcements is collected once, and again after each change of them.
import { expect, test } from 'vitest';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { AnnouncementRegistry } from './announcement-registry.js';
import { KnownAnnouncements } from './known-announcements.js';
import type { ProgramAnnouncement } from './upstream-tools.js';

const pkg = {
  id: 'echo',
  prompts: [],
  hooks: [],
  announcesTools: true,
  tools: [],
  programs: [{ name: 'server', protocol: 'mcp', role: 'mcp-server', target: { kind: 'process' } }],
};
const checked = {
  loaded: { path: '/nowhere/echo.json', catalog: { digest: 'd', package: pkg } },
} as unknown as CheckedPackage;
const announcement = { tools: [], hooks: [] };
const entry = (waiting: object | null) =>
  ({ digest: 'd', agreed: announcement, waiting }) as unknown as ProgramAnnouncement;

test('each change of the announcements is seen, and nothing is collected without one', () => {
  let current: ProgramAnnouncement | undefined;
  let reads = 0;
  const read = () => {
    reads++;
    return current;
  };
  const registry = { version: 1, get: read, last: read };
  const known = new KnownAnnouncements(registry as unknown as AnnouncementRegistry, 'use');
  const seen = () => ({
    known: [...known.of(checked).keys()],
    waiting: [...known.waiting(checked).keys()],
    toAsk: known.programsToAsk(checked).map((it) => it.name),
    problem: known.problem(checked)?.reason,
  });
  expect(seen()).toEqual({
    known: [],
    waiting: [],
    toAsk: ['server'],
    problem: 'its program has not started yet',
  });
  current = entry(null);
  registry.version++;
  expect(seen()).toEqual({ known: ['server'], waiting: [], toAsk: [], problem: undefined });
  current = entry(announcement);
  registry.version++;
  expect(seen()).toEqual({ known: ['server'], waiting: ['server'], toAsk: [], problem: undefined });
  const before = reads;
  seen();
  expect(reads).toBe(before);
});
