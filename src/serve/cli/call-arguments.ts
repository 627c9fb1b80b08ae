import { parseJson } from '../../formats/document/json.js';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import { excessText, JsonExcessError, parseBounded, requestLimits } from '../../model/json-bounds.js';
import { inexactHint, inexactNumber, inexactText } from '../../model/json-number.js';
import type { Terminal } from './terminal/terminal.js';

/** In bytes. The host accepts 1 MiB of arguments; escapes and white space can make the text several times longer. */
const maxInput = 16 * 1024 * 1024;

/** True for text that is JSON, so that `null` is not taken as the name of a tool. */
export function looksLikeJson(word: string): boolean {
  return /^\s*(?:[[{"-]|\d|(?:null|true|false)\s*$)/.test(word);
}

/** Arguments of a call from the command line, or from standard input if `text` is `-`. */
export async function readArguments(text: string, terminal: Terminal): Promise<Json> {
  const where = text === '-' ? 'standard input' : 'the JSON argument';
  const source = text === '-' ? await terminal.readStdin(maxInput) : text;
  const hint = 'write an object in single quotes: \'{"name":"value"}\'';
  if (source.trim() === '')
    throw new HostError('usage', `${where} is empty; a JSON object was expected`, { hint });
  let value: Json;
  try {
    value = parseBounded(source, requestLimits);
  } catch (error) {
    if (error instanceof JsonExcessError)
      throw new HostError('usage', `${where} ${excessText(error.excess)}`, { cause: error });
    throw new HostError('usage', `${where} is not JSON: ${(error as Error).message}`, { cause: error, hint });
  }
  const inexact = inexactNumber(source);
  if (inexact !== undefined)
    throw new HostError('invalid_input', `${where} ${inexactText(inexact)}`, { hint: inexactHint });
  // With duplicate keys, a person may read one value and the program use the other.
  const twice = parseJson(source).problems.find((it) => it.code === 'syntax.duplicate-key');
  if (twice !== undefined)
    throw new HostError('usage', `${where} has a duplicate key: ${twice.message}`, {
      hint: 'keep one of them',
    });
  return value;
}
