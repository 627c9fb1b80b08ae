import type { AuditPlaces } from '../../host/host.js';
import type { Arguments } from './arguments.js';
import { loadConfig, settingOf } from './config.js';
import type { Terminal } from './terminal.js';

/** Where the configuration keeps what proves the record; empty where it says nothing. */
export async function auditPlaces(args: Arguments, terminal: Terminal): Promise<AuditPlaces> {
  const { entries } = await loadConfig(args, terminal);
  const checkpoints = settingOf(entries, 'audit.checkpoints') as string | undefined;
  const key = settingOf(entries, 'audit.key') as string | undefined;
  return {
    ...(checkpoints === undefined ? {} : { checkpoints }),
    ...(key === undefined ? {} : { key }),
  };
}
