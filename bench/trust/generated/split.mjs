/**
 * Which half a case belongs to. Rules are tuned while looking at `seen` only; `unseen` is reported without its cases. The
 * name of a case decides, so a case never changes its half.
 */
export function halfOf(name) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
  hash ^= hash >>> 15;
  return (Math.imul(hash, 0x2c1b3c6d) >>> 16) & 1 ? 'unseen' : 'seen';
}
