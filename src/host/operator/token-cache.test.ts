import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TokenTable } from '../../store/state-tables.js';
import type { NewToken, TokenRows } from '../../store/tokens.js';
import { TokenCache } from './token-cache.js';

const digest = (token: string) => hash('sha256', token);

/** A token cache over fake rows that count their lookups; `block` delays lookups until it is released. */
function createCache(now: () => number) {
  const stored = new Map<string, TokenTable>();
  let lookups = 0;
  let gate: Promise<void> = Promise.resolve();
  const rows = {
    add: async ({ wantedPrincipal: principal, ...row }: NewToken, token: string) => {
      const entry = { ...row, principal, digest: digest(token), created_at: 0 } as TokenTable;
      stored.set(entry.digest, entry);
      return entry;
    },
    list: async () => [...stored.values()],
    remove: async (id: string) => {
      const row = [...stored.values()].find((it) => it.id === id);
      return row !== undefined && stored.delete(row.digest);
    },
    noteUse: async (id: string, at: number) => {
      const row = [...stored.values()].find((it) => it.id === id);
      if (row !== undefined) row.last_used_at = at;
    },
    find: async (token: string) => {
      lookups++;
      const row = stored.get(digest(token));
      await gate;
      return row === undefined || (row.expires_at !== null && row.expires_at <= now()) ? undefined : row;
    },
  };
  return {
    tokens: new TokenCache(rows as unknown as TokenRows, now, digest),
    lookups: () => lookups,
    block: () => {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

const entry = (id: string, expires_at: number | null = null) =>
  ({
    ...{ id, kind: 'http', name: id, role: 'agent', expires_at, created_by: 'test' },
    ...{ wantedPrincipal: `http/${id}`, may_approve: 0 },
  }) as const;

describe('a stored token', () => {
  test('is looked up in the database only once', async () => {
    const { tokens, lookups } = createCache(() => 0);
    await tokens.add(entry('a'), 'secret');
    for (let count = 0; count < 3; count++) expect((await tokens.find('secret'))?.id).toBe('a');
    expect(lookups()).toBe(1);
  });

  test('is invalid at once after it is revoked', async () => {
    const { tokens } = createCache(() => 0);
    await tokens.add(entry('a'), 'secret');
    await tokens.find('secret');
    expect(await tokens.remove('a')).toBe(true);
    expect(await tokens.find('secret')).toBeUndefined();
  });

  test('is not cached if it is revoked during its lookup', async () => {
    const { tokens, block } = createCache(() => 0);
    await tokens.add(entry('a'), 'secret');
    const release = block();
    const lookup = tokens.find('secret');
    await tokens.remove('a');
    release();
    await lookup;
    expect(await tokens.find('secret')).toBeUndefined();
  });

  test('expires although it is cached', async () => {
    let now = 0;
    const { tokens } = createCache(() => now);
    await tokens.add(entry('a', 10), 'secret');
    expect((await tokens.find('secret'))?.id).toBe('a');
    now = 10;
    expect(await tokens.find('secret')).toBeUndefined();
  });

  test('that is unknown is looked up each time', async () => {
    const { tokens, lookups } = createCache(() => 0);
    expect(await tokens.find('x')).toBeUndefined();
    await tokens.add(entry('a'), 'x');
    expect((await tokens.find('x'))?.id).toBe('a');
    expect(lookups()).toBe(2);
  });
});

test('the last use of a token is written at most once a minute', async () => {
  let time = 1000;
  const { tokens } = createCache(() => time);
  const entry = { id: 'tok_1', name: 'a', expires_at: null } as unknown as NewToken;
  await tokens.add(entry, 'secret');
  const used = async () => {
    await tokens.find('secret');
    return (await tokens.list())[0]?.last_used_at;
  };
  await tokens.find('wrong');
  expect((await tokens.list())[0]?.last_used_at).toBeUndefined();
  time = 100_000;
  expect(await used()).toBe(100_000);
  time += 59_000;
  expect(await used()).toBe(100_000);
  time += 1000;
  expect(await used()).toBe(160_000);
});
