import type { Candidate, Claim } from '../../model/format.js';

export function claimNexo({ path }: Candidate): Claim | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'plugin.toml') return { scope: 'folder', up: 0 };
  return name.endsWith('.plugin.toml') ? { scope: 'file', up: 0 } : null;
}
