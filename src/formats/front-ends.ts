import type { Candidate, Claim, Format, FormatName } from '../model/format.js';
import { claimFindagent } from './findagent/claim.js';
import { claimNexo } from './nexo/claim.js';
import { claimPatch } from './patch/claim.js';
import { claimTalos } from './talos/claim.js';
import { claimToolspace } from './toolspace/claim.js';

/** A front end before it is needed: it can say what is its own, and be loaded. */
export interface FrontEnd extends Pick<Format, 'name' | 'claim'> {
  load(): Promise<Format>;
}

/** Every front end, in the order in which they are asked. A new format is one entry here and in index.ts. */
export const frontEnds: readonly FrontEnd[] = [
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

export function frontEnd(name: FormatName): FrontEnd {
  const found = frontEnds.find((it) => it.name === name);
  if (found === undefined) throw new Error(`no front end is called ${name}`);
  return found;
}

/** The front end that takes a file for one of its manifests, if any does. */
export function detectFrontEnd(candidate: Candidate): { frontEnd: FrontEnd; claim: Claim } | null {
  for (const it of frontEnds) {
    const claim = it.claim(candidate);
    if (claim !== null) return { frontEnd: it, claim };
  }
  return null;
}
