import type { MovedFile } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { shellQuote } from '../../../model/shell-quote.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { expandId } from '../id-prefix.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';

export const quarantine: Command = {
  name: 'quarantine',
  summary: 'Show, restore or delete files that tools made in places that steer other programs.',
  usage: 'quarantine [restore | delete] [ID]',
  examples: [
    { line: 'toolwharf quarantine', text: 'show what was moved aside, and where it is now' },
    { line: 'toolwharf quarantine restore mov_3f2a1b', text: 'put it back where it was' },
    { line: 'toolwharf quarantine delete mov_3f2a1b', text: 'delete it' },
    { line: 'toolwharf quarantine --json', text: 'print JSON for a script' },
  ],
  options: [pinOption, dryRunOption],
  async run(args, terminal) {
    const [action, id, ...more] = args.positionals;
    if (action === undefined) return list(args, terminal);
    if ((action !== 'restore' && action !== 'delete') || id === undefined || more.length > 0)
      throw new HostError('usage', 'name an action and one id', {
        hint: 'see "toolwharf quarantine --help"',
      });
    return decide(action, id, args, terminal);
  },
};

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const files = await withHost(args, terminal, (host) => host.quarantine.list());
  if (args.has('json')) terminal.out(`${JSON.stringify(quarantineDocument(files))}\n`);
  else if (files.length === 0) terminal.out('nothing was moved aside\n');
  else
    for (const { id, path, stored, packages, at } of files) {
      const by = packages.length === 0 ? '' : ` while ${packages.join(', ')} could write there`;
      terminal.out(`${visibleLine(`${id}  ${path}`)}\n`);
      terminal.out(`  ${visibleLine(`it appeared${by}; moved ${new Date(at).toISOString()}`)}\n`);
      terminal.out(`  ${visibleLine(`look at it: ${shellQuote(stored)}`)}\n`);
    }
  return 0;
}

async function decide(
  action: 'restore' | 'delete',
  prefix: string,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  return withHost(args, terminal, async (host) => {
    const ids = (await host.quarantine.list()).map((it) => it.id);
    const id = expandId(prefix, 'mov_', ids);
    if (isDryRun(args)) {
      const file = (await host.quarantine.list()).find((it) => it.id === id);
      return reportDryRun(`${action} ${file?.path ?? 'nothing: no such file'}`, args, terminal);
    }
    const file = await host.quarantine[action](id, await terminalOperator(host, args, terminal));
    const done = action === 'restore' ? 'restored' : 'deleted';
    if (args.has('json'))
      terminal.out(`${JSON.stringify({ schema: 'toolwharf/quarantined@1', id, path: file.path, done })}\n`);
    else terminal.out(`${visibleLine(file.path)} was ${done}\n`);
    return 0;
  });
}

function quarantineDocument(files: readonly MovedFile[]) {
  return {
    schema: 'toolwharf/quarantine@1',
    files: files.map(({ at, ...it }) => ({ ...it, at: new Date(at).toISOString() })),
  };
}
