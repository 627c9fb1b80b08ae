import { resolve } from 'node:path';
import type { StoreCopyReport } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';

export const store: Command = {
  name: 'store',
  summary:
    'Copy the database of a state directory to an empty PostgreSQL database. No host may run meanwhile.',
  usage: 'store copy --to URL',
  examples: [
    { line: 'toolwharf store copy --to postgres://tools@db.example/tools', text: 'copy all tables' },
    {
      line: 'toolwharf store copy --to postgres://tools@db.example/tools --password-file db-password.txt',
      text: 'with a password; PGPASSWORD and ~/.pgpass work too',
    },
    {
      line: 'toolwharf store copy --to postgres://tools@localhost/tools --dry-run',
      text: 'check the URL; copies nothing',
    },
  ],
  options: [
    { name: 'to', value: 'URL', text: 'postgres://USER@HOST/DATABASE, without a password' },
    { name: 'password-file', value: 'FILE', text: 'file with the password of the database' },
    dryRunOption,
  ],
  async run(args, terminal) {
    const [verb, ...more] = args.positionals;
    if (verb !== 'copy' || more.length > 0)
      throw new HostError('usage', 'unknown subcommand of store', { hint: 'toolwharf store copy --to URL' });
    const to = args.value('to');
    if (to === undefined)
      throw new HostError('usage', 'the URL of the database is missing', {
        hint: 'toolwharf store copy --to postgres://USER@HOST/DATABASE',
      });
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const copy = await terminal.openStoreCopy({ state, to, password: readPassword(args, terminal) });
    if (isDryRun(args)) return reportDryRun(`copy the database in ${state} to ${copy.to}`, args, terminal);
    report(copy.to, await copy.run(), args, terminal);
    return 0;
  },
};

function readPassword(args: Arguments, terminal: Terminal): string | undefined {
  const path = args.value('password-file');
  if (path === undefined) return undefined;
  const password = terminal.readFile(resolve(terminal.cwd, path))?.replace(/\r?\n$/, '');
  if (password !== undefined && password !== '') return password;
  throw new HostError('not_found', `${path} cannot be read, or is empty`, {
    hint: 'check the path after --password-file',
  });
}

function report(to: string, { tables, files }: StoreCopyReport, args: Arguments, terminal: Terminal): void {
  const rows = tables.reduce((sum, it) => sum + it.rows, 0);
  if (args.has('json')) {
    const used = tables.filter((it) => it.rows > 0);
    terminal.out(
      `${JSON.stringify({ schema: 'toolwharf/store-copy@1', to, rows, tables: used, notCopied: files })}\n`,
    );
    return;
  }
  terminal.out(`copied and compared ${rows} rows of ${tables.length} tables to ${visibleLine(to)}\n`);
  if (!args.has('quiet')) terminal.err(`not copied, because they are files: ${files.join('; ')}\n`);
}
