import { HostError } from '../../model/host-error.js';
import { excessText, type JsonExcess } from '../../model/json-bounds.js';
import { inexactNumber, inexactText } from '../../model/json-number.js';
import type { PeerRequest } from './peer-channel.js';

/** What may go wrong with the answer to a request, besides an error response. `name`: what the request is about. */
export const answerError = {
  timedOut: (name: string, timeoutMs: number) =>
    new HostError('timeout', `${name} did not answer within ${Number((timeoutMs / 1000).toPrecision(3))} s`, {
      hint: 'allow more time with --timeout',
    }),
  unanswered: (name: string) =>
    new HostError('upstream_failed', `the server of ${name} closed the connection without an answer`, {
      transient: {},
    }),
  empty: (name: string) =>
    new HostError('tool_bad_output', `the answer to ${name} has no result and no error`),
  tooLarge: (name: string, limit: number) =>
    new HostError(
      'output_too_large',
      `the answer of ${name} is larger than ${limit.toLocaleString('en')} bytes`,
      { hint: 'request less at once, or raise limits.output_mb in the configuration' },
    ),
  tooComplex: (name: string, excess: JsonExcess) =>
    new HostError('tool_bad_output', `the answer of ${name} ${excessText(excess)}`),
  tooManyPending: (name: string, limit: number) =>
    new HostError('upstream_failed', `${name} already has ${limit} pending calls`, {
      hint: 'wait until some of them have finished',
    }),
};

/** Why the answer to a request that needs exact numbers is rejected; undefined if it is not. */
export function inexactAnswer(
  { name, exactNumbers = false }: Pick<PeerRequest, 'name' | 'exactNumbers'>,
  text: string,
): HostError | undefined {
  const found = exactNumbers ? inexactNumber(text) : undefined;
  if (found === undefined) return undefined;
  return new HostError('tool_bad_output', `the answer of ${name} ${inexactText(found)}`, {
    hint: 'its server can send it as text, in quotes',
  });
}
