import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { Arguments } from '../cli/command/command.js';
import type { Terminal } from '../cli/terminal/terminal.js';
import { visibleLine } from '../print/visible.js';
import type { PlannedImport, PlannedServer } from './planned-import.js';

/** What a person chose for each entry: its grants, or null to leave it out. Absent: as planned. */
export type ImportChoice = ReadonlyMap<string, readonly string[] | null>;

/** Whether a person is asked. */
export function asksPerson(args: Arguments, { stdinIsTerminal }: Terminal): boolean {
  return stdinIsTerminal && !['yes', 'json', 'no-input', 'agree', 'dry-run'].some((it) => args.has(it));
}

/** The agreement to all servers: by the digest, by naming what they ask for with --yes, or at the terminal. Null: no. */
export async function agreesToImport(
  plan: PlannedImport,
  args: Arguments,
  terminal: Terminal,
): Promise<ImportChoice | null> {
  const digest = args.value('agree');
  if (digest !== undefined) {
    if (digest === plan.digest) return new Map();
    throw new HostError('integrity', `the plan of the import is ${plan.digest} now, not ${digest}`, {
      hint: 'look at what changed: run it with --dry-run',
    });
  }
  if (args.has('yes')) {
    const missing = plan.servers.flatMap(missingGrants);
    if (missing.length === 0) return new Map();
    const names = [...new Set(missing.map((it) => it.entry))];
    throw new HostError(
      'approval_required',
      `--yes does not agree to what these servers ask for: ${names.join(', ')}`,
      {
        hint:
          `name it: ${missing.map((it) => allowFlag(it.entry, it.grant)).join(' ')}; ` +
          `or leave them out: ${names.map((it) => `--skip ${shellQuote(it)}`).join(' ')}`,
      },
    );
  }
  if (!asksPerson(args, terminal))
    throw new HostError('approval_required', 'nobody agreed to the import', {
      hint: `agree to exactly this plan: --agree ${plan.digest}`,
    });
  const answer = await terminal.ask('Import them? [y]es, [c]hoose for each server, [n]o: ');
  if (/^y/i.test(answer)) return new Map();
  return /^c/i.test(answer) ? chosen(plan, terminal) : null;
}

export function allowFlag(entry: string, grant: string): string {
  return `--allow ${shellQuote(`${entry}=${grant}`)}`;
}

function missingGrants({ entry, installs }: PlannedServer) {
  const { requires = [], agreed = [] } = installs?.plan ?? {};
  return requires.filter((it) => !agreed.includes(it)).map((grant) => ({ entry, grant }));
}

async function chosen({ servers }: PlannedImport, terminal: Terminal): Promise<ImportChoice> {
  const choice = new Map<string, readonly string[] | null>();
  for (const { entry, wanted } of servers) {
    const folders = wanted.some((it) => it.startsWith('read:'));
    const options = [
      '[y]es',
      ...(folders ? ['[w]rite to its folders too'] : []),
      ...(wanted.length > 0 ? ['[b]are: without hosts and folders'] : []),
      '[s]kip',
    ];
    const answer = await terminal.ask(`${visibleLine(entry)}: ${options.join(', ')}: `);
    if (/^w/i.test(answer))
      choice.set(
        entry,
        wanted.map((it) => it.replace(/^read:/, 'write:')),
      );
    else if (/^b/i.test(answer)) choice.set(entry, []);
    else if (!/^y/i.test(answer)) choice.set(entry, null);
  }
  return choice;
}
