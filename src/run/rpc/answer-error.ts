import { HostError } from '../../model/host-error.js';
import { excessText, type JsonExcess } from '../../model/json-bounds.js';

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
