import type { Candidate, Claim } from '../../model/format.js';

export function claimNexo({ path }: Candidate): Claim | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'plugin.toml') return { scope: 'folder', levelsUp: 0 };
  return name.endsWith('.plugin.toml') ? { scope: 'file', levelsUp: 0 } : null;
}
