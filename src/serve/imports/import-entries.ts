import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { Arguments } from '../cli/command/command.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { type OwnProgram, otherServers } from '../clients/own-program.js';
import { entriesOf, repeatedNames } from '../clients/settings-edit.js';
import { readSettingsFile, type SettingsFile } from '../clients/settings-file.js';
import { configuredEntry } from './configured-entry.js';
import type { ImportReport } from './import-report.js';
import type { ImportTarget } from './import-target.js';
import { notOursReason, type OwnHost } from './own-entry.js';
import type { ImportableEntry, OutsideEntry } from './planned-import.js';

/** The entries of a file. */
export interface ReadEntries {
  /** All of them, by name. */
  readonly entries: ReadonlyMap<string, Json>;
  readonly servers: readonly ImportableEntry[];
  readonly outside: readonly OutsideEntry[];
}

/** Reads all entries, and leaves out those that the person does not want. */
export function readEntries(
  file: SettingsFile,
  { client, scope, home }: ImportTarget,
  args: Arguments,
  { environment, cwd }: Terminal,
  own: OwnHost,
): ReadEntries {
  const settings = { file: file.path, text: file.text };
  const entries = entriesOf(settings, client);
  const [only, skip] = [args.values('only'), args.values('skip')];
  const unknown = [...only, ...skip].find((it) => !entries.has(it));
  if (unknown !== undefined)
    throw new HostError('usage', `${file.path} has no server ${JSON.stringify(unknown)}`, {
      hint: `it has ${[...entries.keys()].join(', ') || 'none'}`,
    });
  const place = { environment, home, project: scope === 'user' ? undefined : cwd };
  const repeated = repeatedNames(settings, client);
  const servers: ImportableEntry[] = [];
  const outside: OutsideEntry[] = [];
  for (const [entry, value] of entries) {
    const found = configuredEntry(value, client, place);
    const isOurs = found.kind === 'ours';
    const reason = isOurs ? notOursReason(value, own) : undefined;
    if (repeated.includes(entry)) outside.push({ entry, reason: 'two entries have this name', isUsed: true });
    else if (isOurs) outside.push(...(reason === undefined ? [] : [{ entry, reason, isUsed: true }]));
    else if (skip.includes(entry) || (only.length > 0 && !only.includes(entry)))
      outside.push({ entry, reason: 'you left it out', isUsed: found.kind === 'server' });
    else if (found.kind === 'outside') outside.push({ entry, ...found });
    else servers.push({ entry, ...found });
  }
  return { entries, servers, outside };
}

/** Servers of the same client in its other scopes. */
export function alsoConfigured({ others }: ImportTarget, own: OwnProgram): Pick<ImportReport, 'alsoIn'> {
  const found = others.flatMap(({ client, scope, file }) => {
    try {
      const { text } = readSettingsFile(file);
      const servers = otherServers({ file, text }, client, own);
      return servers.length === 0 ? [] : [{ scope, file, servers }];
    } catch {
      // This file can be imported although the other one cannot be read.
      return [];
    }
  });
  return found.length === 0 ? {} : { alsoIn: found };
}
