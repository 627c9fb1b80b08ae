// The library entry point `toolwharf/formats`: all formats, loaded. Commands load them on demand (format-loaders.ts).
import type { Candidate, Claim, Format, FormatName } from '../model/format.js';
import { findagent } from './findagent/format.js';
import { nexo } from './nexo/format.js';
import { patch } from './patch/format.js';
import { talos } from './talos/format.js';
import { toolspace } from './toolspace/format.js';

export { defaultParseOptions, inspect } from './inspect.js';

/** All formats. `detect` asks them in this order. */
export const formats: readonly Format[] = [patch, findagent, talos, toolspace, nexo];

/** Returns the format with this name. */
export function formatNamed(name: FormatName): Format {
  const found = formats.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no format is called ${name}`);
  return found;
}

/** Returns the first format that claims a file, with its claim; null if none does. */
export function detect(candidate: Candidate): { format: Format; claim: Claim } | null {
  for (const format of formats) {
    const claim = format.claim(candidate);
    if (claim !== null) return { format, claim };
  }
  return null;
}
