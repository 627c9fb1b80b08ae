import type { AuditLocations } from '../../../host/host.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { loadConfig, settingOf } from './config.js';

/** Configured locations of checkpoints and signing key; empty if not configured. */
export async function auditLocations(args: Arguments, terminal: Terminal): Promise<AuditLocations> {
  const { entries } = await loadConfig(args, terminal);
  const checkpoints = settingOf(entries, 'audit.checkpoints') as string | undefined;
  const key = settingOf(entries, 'audit.key') as string | undefined;
  return {
    ...(checkpoints === undefined ? {} : { checkpoints }),
    ...(key === undefined ? {} : { key }),
  };
}
