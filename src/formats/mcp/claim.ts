import type { Candidate, Claim } from '../../model/format.js';

export const manifestName = 'toolwharf-mcp.json';

export function claimMcp({ path }: Candidate): Claim | null {
  const isManifest = path === manifestName || path.endsWith(`/${manifestName}`);
  return isManifest ? { scope: 'folder', levelsUp: 0 } : null;
}
