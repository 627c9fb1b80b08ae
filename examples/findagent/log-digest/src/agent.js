import { compare, digest } from './digest.js';

/** Called once for each tool call. */
export async function handler({ tool, input }) {
  switch (tool) {
    case 'digest_log':
      return digest(input.log, { limit: input.limit ?? 20, level: input.level ?? 'any' });
    case 'compare_logs':
      return compare(input.before, input.after, { limit: input.limit ?? 20 });
    default:
      throw new Error(`no tool named ${tool}`);
  }
}
