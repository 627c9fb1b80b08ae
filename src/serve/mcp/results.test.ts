import { describe, expect, test } from 'vitest';
import { createResultStore } from './results.js';
import { createSigner, type HeldState } from './signer.js';

describe('large results', () => {
  const text = (length: number) => ({ text: 'x'.repeat(length), mimeType: 'text/plain' });

  test('are read by who got them, until their time is over', () => {
    let now = 0;
    const store = createResultStore({ now: () => now });
    const uri = store.keep('me', text(5));
    expect(store.read('me', uri)?.text).toBe('xxxxx');
    expect(store.read('you', uri)).toBeUndefined();
    expect(store.read('me', `${uri}x`)).toBeUndefined();
    now = 10 * 60_000 - 1;
    expect(store.read('me', uri)).toBeDefined();
    now++;
    expect(store.read('me', uri)).toBeUndefined();
  });

  test('give way to newer ones, the oldest first; what fits nowhere is not kept', () => {
    const store = createResultStore({ now: () => 0, totalBytes: 20 });
    const [a, b, c] = [store.keep('me', text(4)), store.keep('me', text(4)), store.keep('me', text(4))];
    expect([a, b, c].map((it) => store.read('me', it as string) !== undefined)).toEqual([false, true, true]);
    expect(store.read('me', store.keep('me', text(11)))).toBeUndefined();
  });

  test('have addresses that nobody guesses', () => {
    const store = createResultStore({ now: () => 0 });
    const made = new Set(Array.from({ length: 100 }, () => store.keep('me', text(1))));
    expect(made.size).toBe(100);
    expect([...made][0]).toMatch(/^toolwharf:\/\/result\/[\w-]{22}$/);
  });
});

describe('the state of held calls', () => {
  const state: HeldState = {
    kind: 'held',
    holder: 'h',
    principal: 'p',
    tool: 't',
    arguments: 'd',
    approval: 'a',
    again: false,
    expiresAt: 100,
  };
  const any = () => true;

  test('is good once, in time, where it was sealed', () => {
    let now = 0;
    const signer = createSigner({ now: () => now });
    const sealed = signer.seal(state);
    expect(createSigner({ now: () => now }).look(sealed, any)).toBeUndefined();
    expect(signer.look(sealed, () => false)).toBeUndefined();
    const found = signer.look(sealed, any);
    expect(found?.state).toMatchObject(state);
    expect(signer.look(sealed, any)?.state).toMatchObject(state);
    found?.use();
    expect(signer.look(sealed, any)).toBeUndefined();
    const late = signer.seal(state);
    now = 100;
    expect(signer.look(late, any)).toBeUndefined();
  });

  test('is forgotten, and so refused, when too many are out', () => {
    const signer = createSigner({ now: () => 0 });
    const first = signer.seal(state);
    let last = '';
    for (let at = 0; at < 4096; at++) last = signer.seal(state);
    expect(signer.look(first, any)).toBeUndefined();
    expect(signer.look(last, any)).toBeDefined();
  });

  test('is not accepted with any one character changed', () => {
    const signer = createSigner({ now: () => 0 });
    const sealed = signer.seal(state);
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(signer.look(changed, any)).toBeUndefined();
    }
    expect(signer.look(sealed, any)).toBeDefined();
  });
});
