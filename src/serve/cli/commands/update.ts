import type { OutdatedPackage } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { changeProgress } from '../change-progress.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption } from '../dry-run.js';
import { lifecycleOptions, namedPackage, openLifecycleSession, packageAllow } from '../lifecycle-session.js';
import { pinOption } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';
import { agreementOptions, installFrom } from './install.js';

export const update: Command = {
  name: 'update',
  summary: 'Update installed packages from their sources. What they may do more needs your agreement.',
  usage: 'update [PACKAGE] [options]',
  examples: [
    { line: 'toolwharf outdated', text: 'see which packages have a newer version' },
    { line: 'toolwharf update weather', text: 'show the difference and ask' },
    {
      line: 'toolwharf update',
      text: 'the same for each package that has another version, one after the other',
    },
    { line: 'toolwharf update weather --yes', text: 'in a script: only if nothing needs your agreement' },
  ],
  options: [...agreementOptions, pinOption, dryRunOption, ...lifecycleOptions],
  async run(args, terminal) {
    if (args.positionals.length === 0) return updateAll(args, terminal);
    return installFrom({ package: namedPackage(args, 'update') }, args, terminal);
  },
};

/** Each package has a plan and a question of its own. One that fails does not stop those after it. */
async function updateAll(args: Arguments, terminal: Terminal): Promise<number> {
  const forOne = ['agree', 'secret', 'sha256', 'package', 'json'].find((it) => args.has(it));
  const misplaced = packageAllow(args).length > 0 ? 'allow' : forOne;
  if (misplaced !== undefined)
    throw new HostError('usage', `--${misplaced} needs the name of one package`, {
      hint: 'see which ones have another version: toolwharf outdated',
    });
  const newer = await newerPackages(args, terminal);
  if (newer.length === 0) terminal.out(nothingNewer);
  const failures: { readonly id: string; readonly error: HostError }[] = [];
  let exit = 0;
  for (const { package: id, available, problem } of newer)
    try {
      if (available === undefined)
        throw new HostError('unavailable', `its source could not be read: ${problem}`);
      exit = Math.max(exit, await installFrom({ package: id }, args, terminal));
    } catch (error) {
      if (!(error instanceof HostError) || terminal.signal.aborted) throw error;
      failures.push({ id, error });
    }
  const [first] = failures;
  if (first === undefined) return exit;
  const texts = failures.map(({ id, error }) => {
    const hint = error.hint === undefined ? '' : `\n  ${error.hint}`;
    return `${id}: ${error.message}${hint}`;
  });
  throw new HostError(
    first.error.code,
    `${failures.length} of ${newer.length} packages ${failures.length === 1 ? 'was' : 'were'} not updated\n${texts.join('\n')}`,
  );
}

const nothingNewer = 'all installed packages are up to date\n';

async function newerPackages(args: Arguments, terminal: Terminal): Promise<readonly OutdatedPackage[]> {
  return withHost(args, terminal, async (host) => {
    const session = await openLifecycleSession(host, args, terminal, 'look');
    const onProgress = changeProgress(args, terminal);
    return session.installations.outdated({ signal: terminal.signal, onProgress });
  });
}

export const outdated: Command = {
  name: 'outdated',
  summary: 'Show installed packages whose source has another version. Changes nothing.',
  usage: 'outdated',
  examples: [
    { line: 'toolwharf outdated', text: 'ask every source' },
    { line: 'toolwharf outdated --json', text: 'print JSON for a script' },
    { line: 'toolwharf update weather', text: 'update one of them' },
  ],
  options: lifecycleOptions,
  async run(args, terminal) {
    if (args.positionals.length > 0) throw new HostError('usage', 'outdated takes no arguments');
    const packages = await newerPackages(args, terminal);
    if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/outdated@1', packages })}\n`);
    else if (packages.length === 0) terminal.out(nothingNewer);
    else
      for (const { package: id, version, available, moved = [], problem } of packages) {
        const state =
          available === undefined ? `could not be checked: ${problem}` : `available: ${available}`;
        const lines = [`${id}  ${version}  ${state}`, ...moved.map((it) => `  ${it}`)];
        for (const it of lines) terminal.out(`${visibleLine(it)}\n`);
      }
    return 0;
  },
};
