import { HostError } from '../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import { shellWord } from '../model/shell-word.js';
import type { CallableTool } from './served-tool.js';
import { sizeOf } from './shape.js';

/** Bytes of arguments as JSON, and how deep they may be nested. */
const maxArgumentBytes = 1024 * 1024;
const maxArgumentDepth = 100;

/** Arguments that fit the tool, with its defaults; what does not fit is refused. */
export async function checkArguments(served: CallableTool, given: Json): Promise<JsonObject> {
  const argumentsGiven = given ?? {};
  if (!isObject(argumentsGiven))
    throw new HostError('invalid_input', `the arguments of ${served.name} must be a JSON object`);
  const size = sizeOf(argumentsGiven, maxArgumentDepth);
  if (size === null || size > maxArgumentBytes) {
    const bound = size === null ? `nested more than ${maxArgumentDepth} levels` : 'larger than 1 MiB';
    throw new HostError('invalid_input', `the arguments of ${served.name} are ${bound}`);
  }
  const checked = (await served.input()).check(argumentsGiven);
  if (checked.ok) return checked.value as JsonObject;
  throw new HostError(
    'invalid_input',
    `the arguments do not fit ${served.name}: ${checked.complaints.join('; ')}`,
    {
      hint: `see what it takes: toolwharf info ${shellWord(served.file)}`,
    },
  );
}
