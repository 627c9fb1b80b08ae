// SECURITY.md: "Questions reach the right person once". One table keeps the open questions of all callers. A
// caller that asks many questions must not remove the questions of others.
import { expect, test } from 'vitest';
import { type AskedState, createStateSigner } from '../../../src/serve/mcp/state-signer.js';

/** All clients belong to one person. */
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

test('many questions of one client do not remove the question of another', () => {
  const signer = createStateSigner({ now: () => 0 });
  const theirs = signer.sign(stateOf('thinking', 'q'));
  const first = signer.sign(stateOf('flooding', 'q'));
  let last = first;
  for (let count = 0; count < 10_000; count++) last = signer.sign(stateOf('flooding', 'q'));
  expect(signer.open(theirs, any)?.state).toMatchObject({ holder: 'thinking' });
  // They replace older questions of the same client.
  expect(signer.open(first, any)).toBeUndefined();
  const found = signer.open(last, any);
  expect(found?.state).toMatchObject({ holder: 'flooding' });
  found?.use();
  expect(signer.open(last, any)).toBeUndefined();
  expect(signer.open(theirs, any)).toBeDefined();
});

test('a question survives a thousand other clients, but not several thousand', () => {
  const signer = createStateSigner({ now: () => 0 });
  const theirs = signer.sign(stateOf('thinking', 'q'));
  for (let count = 0; count < 1000; count++) signer.sign(stateOf(`caller-${count}`, 'q'));
  expect(signer.open(theirs, any)).toBeDefined();
  for (let count = 0; count < 3000; count++) signer.sign(stateOf(`other-${count}`, 'q'));
  expect(signer.open(theirs, any)).toBeUndefined();
});

test('expired questions of other clients do not remove a question', () => {
  let now = 0;
  const signer = createStateSigner({ now: () => now });
  const theirs = signer.sign(stateOf('thinking', 'q'));
  for (let count = 0; count < 2000; count++) signer.sign(stateOf(`caller-${count}`, 'q', 500));
  now = 600;
  for (let count = 0; count < 2000; count++) signer.sign(stateOf(`other-${count}`, 'q'));
  expect(signer.open(theirs, any)).toBeDefined();
});

test('a state that expired or does not match is rejected', () => {
  let now = 0;
  const signer = createStateSigner({ now: () => now });
  const sealed = signer.sign(stateOf('thinking', 'q'));
  expect(signer.open(sealed, ({ holder }) => holder === 'flooding')).toBeUndefined();
  expect(signer.open(sealed, any)).toBeDefined();
  now = 1000;
  expect(signer.open(sealed, any)).toBeUndefined();
});
