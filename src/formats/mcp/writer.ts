import type { PlainServer } from '../server-writer.js';

/** The manifest of a plain server, in one line. */
export function writeServer({ name, startsInData, scripts, ...members }: PlainServer): string {
  return JSON.stringify({
    ...{ schema: 'toolwharf/mcp@1', name },
    ...members,
    ...(startsInData === true ? { cwd: '${data}' } : {}),
    ...(scripts === undefined ? {} : { build: scripts }),
  });
}
