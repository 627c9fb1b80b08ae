// States that say which question an answer is for are kept for all callers together. Whoever asks for more and more of them
// must not push out those of others, whose persons are still thinking.
import { expect, test } from 'vitest';
import { type AskedState, createSigner } from '../../src/serve/mcp/signer.js';

/** Of clients that one person uses. */
const stateOf = (holder: string, question: string, expiresAt = 1000): AskedState => ({
  kind: 'asked',
  holder,
  principal: 'alice/mcp',
  tool: 'server_consult',
  arguments: 'none',
  question,
  expiresAt,
});
const any = () => true;

test('being asked again and again pushes out nobody else', () => {
  const signer = createSigner({ now: () => 0 });
  const theirs = signer.seal(stateOf('thinking', 'q'));
  const first = signer.seal(stateOf('flooding', 'q'));
  let last = first;
  for (let count = 0; count < 10_000; count++) last = signer.seal(stateOf('flooding', 'q'));
  expect(signer.look(theirs, any)?.state).toMatchObject({ holder: 'thinking' });
  // Its own older ones make room for the newer ones.
  expect(signer.look(first, any)).toBeUndefined();
  const found = signer.look(last, any);
  expect(found?.state).toMatchObject({ holder: 'flooding' });
  found?.use();
  expect(signer.look(last, any)).toBeUndefined();
  expect(signer.look(theirs, any)).toBeDefined();
});

test('clients by the hundred push out nobody; by the thousand, the first one', () => {
  const signer = createSigner({ now: () => 0 });
  const theirs = signer.seal(stateOf('thinking', 'q'));
  for (let count = 0; count < 1000; count++) signer.seal(stateOf(`caller-${count}`, 'q'));
  expect(signer.look(theirs, any)).toBeDefined();
  for (let count = 0; count < 3000; count++) signer.seal(stateOf(`other-${count}`, 'q'));
  expect(signer.look(theirs, any)).toBeUndefined();
});

test('clients whose states have run out push out nobody', () => {
  let now = 0;
  const signer = createSigner({ now: () => now });
  const theirs = signer.seal(stateOf('thinking', 'q'));
  for (let count = 0; count < 2000; count++) signer.seal(stateOf(`caller-${count}`, 'q', 500));
  now = 600;
  for (let count = 0; count < 2000; count++) signer.seal(stateOf(`other-${count}`, 'q'));
  expect(signer.look(theirs, any)).toBeDefined();
});

test('what has run out or does not fit stays refused', () => {
  let now = 0;
  const signer = createSigner({ now: () => now });
  const sealed = signer.seal(stateOf('thinking', 'q'));
  expect(signer.look(sealed, ({ holder }) => holder === 'flooding')).toBeUndefined();
  expect(signer.look(sealed, any)).toBeDefined();
  now = 1000;
  expect(signer.look(sealed, any)).toBeUndefined();
});
