import { isAbsolute, join } from 'node:path';
import type { AuditLocations } from '../../../host/host.js';
import { homeFolder } from '../command/arguments.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { certificatePolicy } from './certificate-policy.js';
import { loadConfig, settingOf } from './config.js';
import type { ConfigEntry } from './config-layers.js';

/** Locations of checkpoints, signing key and anchors: as configured, and a folder of the user for anchors. */
export async function auditLocations(args: Arguments, terminal: Terminal): Promise<AuditLocations> {
  // Commands that install also take what a package asks for, and check it themselves.
  const isGrant = (it: string) => !/^(?:scope|files):/.test(it);
  const own: Arguments = {
    positionals: args.positionals,
    has: (name) => args.has(name),
    value: (name) => args.value(name),
    values: (name) => args.values(name).filter((it) => name !== 'allow' || isGrant(it)),
  };
  return auditLocationsIn((await loadConfig(own, terminal)).entries, terminal);
}

export function auditLocationsIn(
  entries: readonly ConfigEntry[],
  terminal: Pick<Terminal, 'environment' | 'readFile'>,
): AuditLocations {
  const checkpoints = settingOf(entries, 'audit.checkpoints') as string | undefined;
  const key = settingOf(entries, 'audit.key') as string | undefined;
  const anchorFolder =
    (settingOf(entries, 'audit.anchor_dir') as string | undefined) ??
    defaultAnchorFolder(terminal.environment);
  const url = settingOf(entries, 'audit.anchor_webhook') as string | undefined;
  const allow = (settingOf(entries, 'allow') as readonly string[] | undefined) ?? [];
  return {
    ...(checkpoints === undefined ? {} : { checkpoints }),
    ...(key === undefined ? {} : { key }),
    ...(anchorFolder === undefined ? {} : { anchorFolder }),
    anchorKeychain: settingOf(entries, 'audit.anchor_keychain') === true,
    ...(url === undefined
      ? {}
      : {
          anchorWebhook: {
            url,
            allow,
            certificates: certificatePolicy(settingOf(entries, 'net.ca_file'), terminal).caCertificates,
          },
        }),
  };
}

/** In the user's data folder: not in a state directory, and never in a project. Undefined without a home folder. */
function defaultAnchorFolder(environment: Terminal['environment']): string | undefined {
  const dataHome = environment.XDG_DATA_HOME ?? '';
  if (isAbsolute(dataHome)) return join(dataHome, 'toolwharf', 'audit-anchors');
  try {
    return join(homeFolder(environment, 'audit.anchor_dir'), '.local', 'share', 'toolwharf', 'audit-anchors');
  } catch {
    return undefined;
  }
}
