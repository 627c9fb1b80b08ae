import { readJson } from '../../formats/document/json.js';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { Terminal } from './terminal.js';

/** The host takes 1 MiB; written with escapes and white space that can be several times as much. */
const maxInput = 16 * 1024 * 1024;

/** Words that are JSON by themselves, so that `null` is not taken for the name of a tool. */
export function looksLikeJson(word: string): boolean {
  return /^\s*(?:[[{"-]|\d|(?:null|true|false)\s*$)/.test(word);
}

/** Arguments of a call as they stand on the command line, or on standard input for `-`. */
export async function readArguments(text: string, terminal: Terminal): Promise<Json> {
  const what = text === '-' ? 'standard input' : 'the argument';
  const source = text === '-' ? await terminal.readStdin(maxInput) : text;
  const hint = 'write an object in single quotes: \'{"name":"value"}\'';
  if (source.trim() === '')
    throw new HostError('usage', `${what} is empty; a JSON object was expected`, { hint });
  let value: Json;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new HostError('usage', `${what} is not JSON: ${(error as Error).message}`, { cause: error, hint });
  }
  // Of two members with one name, a person sees the one and a program takes the other.
  const twice = readJson(source).problems.find((it) => it.code === 'syntax.duplicate-key');
  if (twice !== undefined)
    throw new HostError('usage', `${what} says something twice: ${twice.message}`, {
      hint: 'keep one of them',
    });
  return value;
}
