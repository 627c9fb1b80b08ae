import type { Candidate, Claim, Format, FormatName } from '../model/format.js';
import { claimFindagent } from './findagent/claim.js';
import { claimNexo } from './nexo/claim.js';
import { claimPatch } from './patch/claim.js';
import { claimTalos } from './talos/claim.js';
import { claimToolspace } from './toolspace/claim.js';

/** A format whose parser is loaded on demand: detecting a manifest must not load all parsers. */
export interface FormatLoader extends Pick<Format, 'name' | 'claim'> {
  load(): Promise<Format>;
}

/** All formats, in the order in which a file is offered to them. A new format needs an entry here and in index.ts. */
export const formatLoaders: readonly FormatLoader[] = [
  { name: 'patch', claim: claimPatch, load: async () => (await import('./patch/format.js')).patch },
  {
    name: 'findagent',
    claim: claimFindagent,
    load: async () => (await import('./findagent/format.js')).findagent,
  },
  { name: 'talos', claim: claimTalos, load: async () => (await import('./talos/format.js')).talos },
  {
    name: 'toolspace',
    claim: claimToolspace,
    load: async () => (await import('./toolspace/format.js')).toolspace,
  },
  { name: 'nexo', claim: claimNexo, load: async () => (await import('./nexo/format.js')).nexo },
];

/** The loader of a format. */
export function formatLoader(name: FormatName): FormatLoader {
  const found = formatLoaders.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no format is called ${name}`);
  return found;
}

/** The first format that claims a file; null if none does. */
export function detectFormat(candidate: Candidate): { loader: FormatLoader; claim: Claim } | null {
  for (const it of formatLoaders) {
    const claim = it.claim(candidate);
    if (claim !== null) return { loader: it, claim };
  }
  return null;
}
