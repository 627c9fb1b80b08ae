import type { AuditReader } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { parseLifetime, stateDirectory } from './command/arguments.js';
import type { Arguments } from './command/command.js';
import { auditLocations } from './config/audit-locations.js';
import type { Terminal } from './terminal/terminal.js';

/** Runs `use` with the audit log of the state directory, and always closes the log afterwards. */
export async function withAuditLog<T>(
  args: Arguments,
  terminal: Terminal,
  use: (log: AuditReader) => Promise<T>,
): Promise<T> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const log = await terminal.openAuditLog({
    state,
    audit: await auditLocations(args, terminal),
    follow: args.has('follow'),
  });
  try {
    return await use(log);
  } finally {
    log.close();
  }
}

/** In the format of the audit log, so that times compare as strings. `2h` is two hours before `now`. */
export function parseAuditTime(
  text: string | undefined,
  option: string,
  now = Date.now(),
): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d+[mhd]$/.test(text)) return new Date(now - parseLifetime(text, option)).toISOString();
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new HostError('usage', `--${option} ${JSON.stringify(text)} is not a time`, {
      hint: 'write a time such as 2026-01-31 or 2026-01-31T12:00:00Z, or how long ago: 30m, 2h, 7d',
    });
  return new Date(time).toISOString();
}
