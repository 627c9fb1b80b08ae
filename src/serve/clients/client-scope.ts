import { HostError } from '../../model/host-error.js';
import type { Client, ConfigScope } from './client.js';

/** The scope that `--scope` names; without it, the default of the client. */
export function clientScope(client: Client, name: string | undefined): ConfigScope {
  const scope = name === undefined ? client.scopes[0] : client.scopes.find((it) => it === name);
  if (scope !== undefined) return scope;
  throw new HostError('usage', `${client.title} has no scope ${JSON.stringify(name)}`, {
    hint: `use --scope ${client.scopes.join(' or ')}`,
  });
}

/** The name of our entry that `--name` gives. */
export function entryNameOption(written = 'toolwharf'): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(written)) return written;
  throw new HostError('usage', `--name ${JSON.stringify(written)} is not a valid name`, {
    hint: 'use at most 64 letters, digits, dots and dashes',
  });
}
