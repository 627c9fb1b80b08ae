import type { Installations, InstalledPackage } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printChange } from '../../print/change.js';
import { visibleLine } from '../../print/visible.js';
import { changeProgress } from '../change-progress.js';
import type { Arguments, Command, Option } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { allowedFor, lifecycleOptions, namedPackage, openLifecycleSession } from '../lifecycle-session.js';
import { changeDocument } from '../source-options.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';

const keepDataOption: Option = { name: 'keep-data', text: "keep the folder with the package's own files" };

export const revokeCommand: Command = {
  name: 'revoke',
  summary: 'Use the kill switch of an installed package, then erase it with its values. It stops at once.',
  usage: 'revoke PACKAGE [--retry | --forget] [options]',
  examples: [
    { line: 'toolwharf revoke weather', text: 'stop it, withdraw its access, and erase its values' },
    { line: 'toolwharf revoke weather --retry', text: 'try its kill switch again after a failure' },
    {
      line: 'toolwharf revoke weather --forget',
      text: 'give up: erase everything although it did not succeed',
    },
  ],
  options: [
    { name: 'retry', text: 'try the kill switch of a stopped package again' },
    { name: 'forget', text: 'erase everything although the kill switch does not succeed' },
    {
      name: 'credential',
      value: 'NAME',
      text: 'the secret that its kill switch is sent with, if it has several',
    },
    { name: 'done', text: 'the manual steps of the kill switch are done' },
    ...[keepDataOption, pinOption, dryRunOption],
    ...lifecycleOptions,
  ],
  async run(args, terminal) {
    const id = namedPackage(args, 'revoke');
    if (isDryRun(args)) return wouldErase('revoke', id, args, terminal);
    const change = await withHost(args, terminal, async (host) => {
      const { installations } = await openLifecycleSession(host, allowedFor(id, args), terminal, 'use');
      const installed = await assertInstalled(id, installations);
      if (args.has('retry') && installed?.state !== 'revoking')
        throw new HostError('usage', `${id} has no revocation to try again`, {
          hint: `revoke it: toolwharf revoke ${id}`,
        });
      await confirmed(`Revoke ${id} and erase its values?`, args, terminal);
      const by = await terminalOperator(host, args, terminal);
      const request = {
        ...{ package: id, by, keepData: args.has('keep-data'), signal: terminal.signal },
        credential: args.value('credential'),
        onProgress: changeProgress(args, terminal),
      };
      const first = await installations.revoke({
        ...request,
        forget: args.has('forget'),
        manualStepsDone: args.has('done'),
      });
      const canAsk = terminal.stdinIsTerminal && !args.has('no-input') && !args.has('json');
      if (first.manualSteps.length === 0 || args.has('forget') || !canAsk) return first;
      terminal.err(`${visibleLine(`${id} is stopped. Now ${first.manualSteps.join('; ')}.`)}\n`);
      if (!(await terminal.confirm('Are they done?'))) return first;
      return installations.revoke({ ...request, manualStepsDone: true });
    });
    terminal.out(args.has('json') ? changeDocument(change) : printChange(change));
    return change.left.length === 0 || args.has('forget') ? 0 : 1;
  },
};

export const removeCommand: Command = {
  name: 'remove',
  summary: 'Remove an installed package and its values, without using its kill switch.',
  usage: 'remove PACKAGE [options]',
  examples: [
    { line: 'toolwharf remove weather', text: 'uninstall it' },
    { line: 'toolwharf remove weather --keep-data', text: 'keep the files that it stored' },
    { line: 'toolwharf revoke weather', text: 'withdraw its access outside this machine too' },
  ],
  options: [keepDataOption, pinOption, dryRunOption, ...lifecycleOptions],
  async run(args, terminal) {
    const id = namedPackage(args, 'remove');
    if (isDryRun(args)) return wouldErase('remove', id, args, terminal);
    const change = await withHost(args, terminal, async (host) => {
      const { installations } = await openLifecycleSession(host, args, terminal, 'use');
      await assertInstalled(id, installations);
      await confirmed(`Remove ${id} and erase its values?`, args, terminal);
      const by = await terminalOperator(host, args, terminal);
      return installations.remove({
        package: id,
        by,
        keepData: args.has('keep-data'),
        onProgress: changeProgress(args, terminal),
        signal: terminal.signal,
      });
    });
    terminal.out(args.has('json') ? changeDocument(change) : printChange(change));
    return 0;
  },
};

/** Before anybody is asked to confirm. Throws `not_found` if the package is not installed. */
async function assertInstalled(
  id: string,
  installations: Pick<Installations, 'history' | 'list'>,
): Promise<InstalledPackage | undefined> {
  await installations.history(id);
  return (await installations.list()).find((it) => it.package === id);
}

/** Checks that the package is installed, and changes nothing. */
async function wouldErase(verb: string, id: string, args: Arguments, terminal: Terminal): Promise<number> {
  await withHost(args, terminal, async (host) =>
    (await openLifecycleSession(host, args, terminal, 'look')).installations.history(id),
  );
  return reportDryRun(`${verb} ${id} and erase its values`, args, terminal);
}

async function confirmed(question: string, args: Arguments, terminal: Terminal): Promise<void> {
  if (args.has('yes')) return;
  if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json'))
    throw new HostError('usage', 'this erases values; confirm it with --yes');
  if (!(await terminal.confirm(question))) throw new HostError('canceled', 'nothing was changed');
}
