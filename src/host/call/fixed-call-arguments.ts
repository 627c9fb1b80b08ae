import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { withFixed } from '../../policy/sets/fixed-arguments.js';
import { namesOfInputs } from '../../policy/sets/fixed-schema.js';
import type { CallableTool } from './callable-tool.js';

/** `caller`: what a caller sent. `host`: arguments that were complete before, or that another tool or a hook made. */
export type ArgumentOrigin = 'caller' | 'host';

/** Adds the arguments that the set of the session fixes. Nobody can replace them. */
export function withFixedArguments(
  { name, set, tool }: CallableTool,
  args: Json,
  origin: ArgumentOrigin,
): Json {
  if (set === null || Object.keys(set.fixed).length === 0) return args;
  const given = args ?? {};
  // The next check rejects it.
  if (!isObject(given)) return args;
  const declared = namesOfInputs(tool.input);
  const result = withFixed(given, set.fixed, { declared, mayRepeat: origin === 'host' });
  if ('args' in result) return result.args;
  const argument = JSON.stringify(result.rejected);
  if (origin === 'caller')
    throw new HostError('invalid_input', `the argument ${argument} of ${name} is fixed by the operator`, {
      hint: 'leave it out; the call gets the fixed value',
    });
  throw new HostError('denied', `the argument ${argument} of ${name} is fixed by the set ${set.name}`, {
    hint: 'another tool or an extension gave it a different value',
  });
}
