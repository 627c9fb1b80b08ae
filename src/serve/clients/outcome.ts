import type { JsonObject } from '../../model/json.js';
import { visibleLine } from '../print/visible.js';
import type { Client, ConfigScope } from './client.js';
import { maskSecrets } from './settings-diff.js';
import { type SettingsEdit, tokenVariable } from './settings-edit.js';

export interface ConnectOutcome {
  readonly client: Client;
  readonly scope: ConfigScope;
  readonly file: string;
  readonly name: string;
  readonly status: SettingsEdit['status'] | 'printed' | 'restored' | 'declined';
  readonly entry?: JsonObject;
  /** Servers in the same file that the client uses without Toolwharf. */
  readonly others: readonly string[];
  /** Path of the backup. */
  readonly backup?: string | undefined;
  /** Id of a token or key that was created. */
  readonly token?: string;
  /** The key that the restored entry names was revoked. */
  readonly needsKey?: boolean;
}

export function outcomeDocument(outcome: ConnectOutcome) {
  const { client, scope, file, name, status, entry, others, backup, token } = outcome;
  return {
    schema: 'toolwharf/connect@1',
    client: client.name,
    scope,
    file,
    name,
    status,
    ...(entry === undefined ? {} : { entry: JSON.parse(maskSecrets(JSON.stringify(entry))) as JsonObject }),
    ...(others.length === 0 ? {} : { others }),
    ...(backup === undefined ? {} : { backup }),
    ...(token === undefined ? {} : { token }),
  };
}

/** The result and notes for the person. `inNpxCache`: this copy of Toolwharf may disappear. */
export function outcomeText(
  outcome: ConnectOutcome,
  inNpxCache: boolean,
): { result: string; notes: readonly string[] } {
  const { client, file, name, status, entry, others, backup } = outcome;
  const texts: Record<ConnectOutcome['status'], string> = {
    added: `added ${name} to ${file}`,
    changed: `updated ${name} in ${file}`,
    unchanged: `nothing to do: ${file} already has ${name}`,
    removed: `removed ${name} from ${file}`,
    absent: `nothing to do: ${file} has no ${name}`,
    restored: `restored ${file}`,
    declined: 'nothing was written',
    printed: `for ${file}`,
  };
  const wrote = status === 'added' || status === 'changed';
  const notes = [
    ...(backup === undefined ? [] : [`backup: ${backup}`]),
    ...(wrote ? [`next: ${client.next}`] : []),
    ...(others.length > 0
      ? [
          `without Toolwharf, ${client.title} also uses: ${others.join(', ')}`,
          `to bring them in: toolwharf import ${client.name}${scopeFlag(outcome)}`,
        ]
      : []),
    ...(outcome.needsKey === true
      ? [`its key was revoked; connect again for a new one: toolwharf connect ${client.name}`]
      : []),
    ...(status === 'removed' || status === 'restored' ? ['next: restart the client'] : []),
    ...(wrote && JSON.stringify(entry).includes(tokenVariable)
      ? [`the client needs a token in ${tokenVariable}; create one: toolwharf token create ${client.name}`]
      : []),
    ...(wrote && inNpxCache
      ? ['this copy of Toolwharf is in the npx cache and may be deleted; install it, then connect again']
      : []),
  ];
  return { result: visibleLine(texts[status]), notes: notes.map(visibleLine) };
}

function scopeFlag({ client, scope }: ConnectOutcome): string {
  return scope === client.scopes[0] ? '' : ` --scope ${scope}`;
}
