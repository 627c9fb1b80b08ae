import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TokenTable } from '../store/database.js';
import type { TokenRows } from '../store/tokens.js';
import { KnownTokens } from './known-tokens.js';

const digest = (token: string) => hash('sha256', token);

/** Rows that count how often they are asked, and answer when they are told. */
function rows(now: () => number) {
  const kept = new Map<string, TokenTable>();
  let asked = 0;
  let gate: Promise<void> = Promise.resolve();
  const made = {
    add: async (row: Omit<TokenTable, 'digest' | 'created_at'>, token: string) => {
      const entry = { ...row, digest: digest(token), created_at: 0 } as TokenTable;
      kept.set(entry.digest, entry);
      return entry;
    },
    list: async () => [...kept.values()],
    remove: async (id: string) => {
      const found = [...kept.values()].find((it) => it.id === id);
      return found !== undefined && kept.delete(found.digest);
    },
    find: async (token: string) => {
      asked++;
      const found = kept.get(digest(token));
      await gate;
      return found === undefined || (found.expires_at !== null && found.expires_at <= now())
        ? undefined
        : found;
    },
  };
  return {
    tokens: new KnownTokens(made as unknown as TokenRows, now, digest),
    asked: () => asked,
    hold: () => {
      let open = () => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
  };
}

const entry = (id: string, expires_at: number | null = null) =>
  ({ id, name: id, role: 'agent', expires_at, created_by: 'test' }) as const;

describe('a stored token', () => {
  test('is looked up once', async () => {
    const { tokens, asked } = rows(() => 0);
    await tokens.add(entry('a'), 'secret');
    for (let count = 0; count < 3; count++) expect((await tokens.find('secret'))?.id).toBe('a');
    expect(asked()).toBe(1);
  });

  test('that was revoked is no good at once', async () => {
    const { tokens } = rows(() => 0);
    await tokens.add(entry('a'), 'secret');
    await tokens.find('secret');
    expect(await tokens.remove('a')).toBe(true);
    expect(await tokens.find('secret')).toBeUndefined();
  });

  test('that was revoked while it was looked up is not remembered', async () => {
    const { tokens, hold } = rows(() => 0);
    await tokens.add(entry('a'), 'secret');
    const open = hold();
    const looking = tokens.find('secret');
    await tokens.remove('a');
    open();
    await looking;
    expect(await tokens.find('secret')).toBeUndefined();
  });

  test('runs out although it was remembered', async () => {
    let now = 0;
    const { tokens } = rows(() => now);
    await tokens.add(entry('a', 10), 'secret');
    expect((await tokens.find('secret'))?.id).toBe('a');
    now = 10;
    expect(await tokens.find('secret')).toBeUndefined();
  });

  test('that is unknown is asked for each time', async () => {
    const { tokens, asked } = rows(() => 0);
    expect(await tokens.find('x')).toBeUndefined();
    await tokens.add(entry('a'), 'x');
    expect((await tokens.find('x'))?.id).toBe('a');
    expect(asked()).toBe(2);
  });
});
