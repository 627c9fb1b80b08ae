import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { shellQuote } from '../../model/shell-quote.js';
import { sizeOf } from '../../policy/input-shape.js';
import type { CallableTool } from './callable-tool.js';

/** Of the arguments as JSON. */
const maxArgumentBytes = 1024 * 1024;
/** Levels of nesting. */
const maxArgumentDepth = 100;

/** Returns valid arguments with the tool's defaults filled in; throws `invalid_input` for anything else. */
export async function checkArguments(callable: CallableTool, input: Json): Promise<JsonObject> {
  const args = input ?? {};
  if (!isObject(args))
    throw new HostError('invalid_input', `the arguments of ${callable.name} must be a JSON object`);
  const size = sizeOf(args, maxArgumentDepth);
  if (size === null || size > maxArgumentBytes) {
    const bound = size === null ? `nested more than ${maxArgumentDepth} levels` : 'larger than 1 MiB';
    throw new HostError('invalid_input', `the arguments of ${callable.name} are ${bound}`);
  }
  const checked = (await callable.input()).check(args);
  if (checked.ok) return checked.value as JsonObject;
  throw new HostError(
    'invalid_input',
    `the arguments of ${callable.name} are not valid: ${checked.errors.join('; ')}`,
    {
      hint: `see its inputs: toolwharf info ${shellQuote(callable.file)}`,
      problems: checked.problems,
    },
  );
}
