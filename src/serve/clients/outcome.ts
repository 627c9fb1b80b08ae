import type { JsonObject } from '../../model/json.js';
import { visibleLine } from '../print/visible.js';
import type { Client, Scope } from './client.js';
import { masked } from './difference.js';
import { type Planned, tokenVariable } from './plan.js';

export interface Outcome {
  readonly client: Client;
  readonly scope: Scope;
  readonly file: string;
  readonly name: string;
  readonly status: Planned['status'] | 'printed' | 'restored' | 'declined';
  readonly entry?: JsonObject;
  /** Where the file is kept as it was. */
  readonly backup?: string | undefined;
  /** Id of a token that was made. */
  readonly token?: string;
}

export function outcomeDocument({ client, scope, file, name, status, entry, backup, token }: Outcome) {
  return {
    schema: 'toolwharf/connect@1',
    client: client.name,
    scope,
    file,
    name,
    status,
    ...(entry === undefined ? {} : { entry: JSON.parse(masked(JSON.stringify(entry))) as JsonObject }),
    ...(backup === undefined ? {} : { backup }),
    ...(token === undefined ? {} : { token }),
  };
}

/** The result, and what a person should know besides. `passing`: this copy of Toolwharf may vanish. */
export function outcomeText(
  outcome: Outcome,
  passing: boolean,
): { result: string; notes: readonly string[] } {
  const { client, file, name, status, entry, backup } = outcome;
  const texts: Record<Outcome['status'], string> = {
    added: `${name} was added to ${file}`,
    changed: `${name} was changed in ${file}`,
    unchanged: `nothing to do: ${file} has ${name} already`,
    removed: `${name} was taken out of ${file}`,
    absent: `nothing to do: ${file} has no ${name}`,
    restored: `${file} is as it was`,
    declined: 'nothing was written',
    printed: `for ${file}`,
  };
  const wrote = status === 'added' || status === 'changed';
  const notes = [
    ...(backup === undefined ? [] : [`as it was: ${backup}`]),
    ...(wrote || status === 'removed' || status === 'restored' ? [`next: ${client.next}`] : []),
    ...(wrote && JSON.stringify(entry).includes(tokenVariable)
      ? [`the client needs ${tokenVariable}; make one: toolwharf token create ${client.name}`]
      : []),
    ...(wrote && passing
      ? ['this copy of Toolwharf lies in the cache of npx and may vanish; install it, then connect again']
      : []),
  ];
  return { result: visibleLine(texts[status]), notes: notes.map(visibleLine) };
}
