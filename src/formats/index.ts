// The front ends as a library: all of them, ready to use. Commands load them one by one (front-ends.ts).
import type { Candidate, Claim, Format, FormatName } from '../model/format.js';
import { findagent } from './findagent/format.js';
import { nexo } from './nexo/format.js';
import { patch } from './patch/format.js';
import { talos } from './talos/format.js';
import { toolspace } from './toolspace/format.js';

export { defaultParseOptions, inspect } from './inspect.js';

/** Every front end, in the order in which they are asked. A new format is one line here. */
export const formats: readonly Format[] = [patch, findagent, talos, toolspace, nexo];

export function formatNamed(name: FormatName): Format {
  const found = formats.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no front end is called ${name}`);
  return found;
}

/** The front end that takes a file for one of its manifests, if any does. */
export function detect(candidate: Candidate): { format: Format; claim: Claim } | null {
  for (const format of formats) {
    const claim = format.claim(candidate);
    if (claim !== null) return { format, claim };
  }
  return null;
}
