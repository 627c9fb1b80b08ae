import type { AuditReader } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { type Arguments, stateDirectory } from './arguments.js';
import { auditPlaces } from './audit-places.js';
import type { Terminal } from './terminal.js';

/** Reads the record of the state directory, and lets go of it whatever happens. */
export async function withAuditLog<T>(
  args: Arguments,
  terminal: Terminal,
  use: (record: AuditReader) => Promise<T>,
): Promise<T> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const record = await terminal.openRecord({
    state,
    audit: await auditPlaces(args, terminal),
    follow: args.has('follow'),
  });
  try {
    return await use(record);
  } finally {
    record.close();
  }
}

/** As the record writes times, so that they compare as texts. */
export function timeOf(text: string | undefined, option: string): string | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new HostError('usage', `--${option} ${JSON.stringify(text)} is not a time`, {
      hint: 'write it such as 2026-01-31 or 2026-01-31T12:00:00Z',
    });
  return new Date(time).toISOString();
}
