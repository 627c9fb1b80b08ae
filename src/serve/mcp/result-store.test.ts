import { describe, expect, test } from 'vitest';
import { createResultStore } from './result-store.js';
import { createStateSigner, type HeldState } from './state-signer.js';

describe('large results', () => {
  const text = (length: number) => ({ text: 'x'.repeat(length), mimeType: 'text/plain' });

  test('can be read only by their principal, until they expire', () => {
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

  test('are replaced by newer ones, oldest first; a result that is too large is not kept', () => {
    const store = createResultStore({ now: () => 0, totalBytes: 20 });
    const [a, b, c] = [store.keep('me', text(4)), store.keep('me', text(4)), store.keep('me', text(4))];
    expect([a, b, c].map((it) => store.read('me', it as string) !== undefined)).toEqual([false, true, true]);
    expect(store.read('me', store.keep('me', text(11)))).toBeUndefined();
  });

  test('have URIs that cannot be guessed', () => {
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
    isInnerCall: false,
    way: 'form',
    expiresAt: 100,
  };
  const any = () => true;

  test('is valid once, before it expires, and only for its signer', () => {
    let now = 0;
    const signer = createStateSigner({ now: () => now });
    const sealed = signer.sign(state);
    expect(createStateSigner({ now: () => now }).open(sealed, any)).toBeUndefined();
    expect(signer.open(sealed, () => false)).toBeUndefined();
    const found = signer.open(sealed, any);
    expect(found?.state).toMatchObject(state);
    expect(signer.open(sealed, any)?.state).toMatchObject(state);
    found?.use();
    expect(signer.open(sealed, any)).toBeUndefined();
    const late = signer.sign(state);
    now = 100;
    expect(signer.open(late, any)).toBeUndefined();
  });

  test('is forgotten, and so rejected, when there are too many', () => {
    const signer = createStateSigner({ now: () => 0 });
    const first = signer.sign(state);
    let last = '';
    for (let at = 0; at < 4096; at++) last = signer.sign(state);
    expect(signer.open(first, any)).toBeUndefined();
    expect(signer.open(last, any)).toBeDefined();
  });

  test('is rejected if any character is changed', () => {
    const signer = createStateSigner({ now: () => 0 });
    const sealed = signer.sign(state);
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(signer.open(changed, any)).toBeUndefined();
    }
    expect(signer.open(sealed, any)).toBeDefined();
  });
});
