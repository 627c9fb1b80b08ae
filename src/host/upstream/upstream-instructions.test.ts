import { expect, test } from 'vitest';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { PackageUpstreams } from './package-upstreams.js';
import { upstreamInstructions } from './upstream-instructions.js';

const program = (name: string) => ({ name, role: 'mcp-server', protocol: 'mcp' });
const checked = {
  loaded: {
    catalog: {
      package: {
        id: 'shop',
        tools: [],
        hooks: [],
        announcesTools: true,
        programs: [program('a'), program('b')],
      },
    },
  },
} as unknown as CheckedPackage;
const announced = (instructions?: string) => ({
  tools: [],
  hooks: [],
  ...(instructions && { instructions }),
});

function textOf(known: Record<string, { agreed: object; waiting: object | null }>) {
  const upstreams = { announcements: () => new Map(Object.entries(known)) } as unknown as PackageUpstreams;
  return upstreamInstructions([checked], upstreams).map((it) => it.text);
}

test('the instructions of all servers of a package are one text', () => {
  const known = {
    a: { agreed: announced('First.'), waiting: null },
    b: { agreed: announced('Second.'), waiting: null },
  };
  expect(textOf(known)).toEqual(['First.\n\nSecond.']);
});

test('changed instructions are left out until somebody accepts them; other changes do not matter', () => {
  expect(textOf({ a: { agreed: announced('Old.'), waiting: announced('New.') } })).toEqual([]);
  expect(textOf({ a: { agreed: announced('Old.'), waiting: announced() } })).toEqual([]);
  expect(textOf({ a: { agreed: announced('Old.'), waiting: announced('Old.') } })).toEqual(['Old.']);
});

test('instructions with invisible characters are left out', () => {
  expect(textOf({ a: { agreed: announced('Old.\u{e0041}'), waiting: null } })).toEqual([]);
});
