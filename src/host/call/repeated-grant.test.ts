import { expect, test } from 'vitest';
import type { Answer } from '../host.js';
import { withoutRepeatedGrant } from './repeated-grant.js';

const failed = (hint: string): Answer =>
  ({ status: 'denied', tool: 'desk/echo', error: { code: 'network_denied', message: 'no', hint } }) as never;
const hintOf = (answer: Answer) => ('error' in answer ? answer.error.hint : undefined);
const asking = failed('to grant it, add --allow net:localhost:9');

test('a hint for a grant that was not given stays', () => {
  for (const given of [[], ['net:localhost'], ['desk=net:localhost:9']])
    expect(withoutRepeatedGrant(asking, { given, inForce: given })).toBe(asking);
});

test('a grant that was given and is in force is not asked for again', () => {
  const given = ['net:localhost:9'];
  const hint = hintOf(withoutRepeatedGrant(asking, { given, inForce: given }));
  expect(hint).toContain('net:localhost:9 is granted already');
  expect(hint).not.toContain('--allow');
});

test('a grant that nobody accepted needs the acceptance, not another flag', () => {
  const hint = hintOf(withoutRepeatedGrant(asking, { given: ['net:localhost:9'], inForce: [] }));
  expect(hint).toBe(
    'the grant net:localhost:9 has no effect until the operator accepts it: toolwharf policy accept',
  );
});

test('a hint in the middle of other text is found', () => {
  const given = ['desk=net:[::1]:9'];
  const answer = failed('add --allow desk=net:[::1]:9; or change it');
  expect(hintOf(withoutRepeatedGrant(answer, { given, inForce: given }))).toContain('granted already');
});
