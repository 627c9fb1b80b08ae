import { visibleLine } from '../print/visible.js';
import type { Terminal } from './terminal/terminal.js';

/** A folder or host that a server may use, as the person chose. */
export interface ServerChoice {
  readonly kind: 'folder' | 'host';
  /** The path, the host, or `public`. */
  readonly name: string;
  readonly access: 'read' | 'write' | 'allow' | 'none';
}

/** Grants as choices. Grants of other kinds are not in the list. */
export function choicesOf(grants: readonly string[]): ServerChoice[] {
  const found = new Map<string, ServerChoice>();
  for (const grant of grants) {
    const [, kind, name] = /^(read|write|net):(.+)$/s.exec(grant) ?? [];
    if (kind === undefined || name === undefined) continue;
    if (kind === 'net') found.set(grant, { kind: 'host', name, access: 'allow' });
    else if (found.get(name)?.access !== 'write')
      found.set(name, { kind: 'folder', name, access: kind === 'write' ? 'write' : 'read' });
  }
  return [...found.values()];
}

/** What the person chose, in the syntax of `--allow`. */
export function chosenGrants(choices: readonly ServerChoice[]): string[] {
  return choices.flatMap(({ access, name }) =>
    access === 'none' ? [] : [access === 'allow' ? `net:${name}` : `${access}:${name}`],
  );
}

/** Asks for each folder and host in turn. No answer keeps it as it is. */
export async function editChoices(
  choices: readonly ServerChoice[],
  terminal: Pick<Terminal, 'ask' | 'err' | 'signal'>,
): Promise<ServerChoice[]> {
  const edited: ServerChoice[] = [];
  for (const it of choices) {
    if (terminal.signal.aborted) break;
    terminal.err(`${visibleLine(it.name)}\n`);
    edited.push({ ...it, access: it.kind === 'folder' ? await folderAccess(it) : await hostAccess(it) });
  }
  return edited;

  async function folderAccess({ access }: ServerChoice): Promise<ServerChoice['access']> {
    const answer = (await terminal.ask(`  [r]ead, [w]rite or [n]o access? (${access}) `)).trim();
    if (/^r/i.test(answer)) return 'read';
    if (/^w/i.test(answer)) return 'write';
    return /^n/i.test(answer) ? 'none' : access;
  }
  async function hostAccess({ access }: ServerChoice): Promise<ServerChoice['access']> {
    const now = access === 'allow' ? 'yes' : 'no';
    const answer = (await terminal.ask(`  may it reach this host? [y]es, [n]o (${now}) `)).trim();
    if (/^y/i.test(answer)) return 'allow';
    return /^n/i.test(answer) ? 'none' : access;
  }
}
