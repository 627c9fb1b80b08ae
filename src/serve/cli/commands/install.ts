import { resolve } from 'node:path';
import type { Change, ChangeStep, Session } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../arguments.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { sessionOptions, sessionSettings } from '../config.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { isPackagePath } from '../package-word.js';
import type { Terminal } from '../terminal.js';

export const install: Command = {
  name: 'install',
  summary: 'Fetch and install what a package needs, such as its Python or npm packages. Runs in the sandbox.',
  usage: 'install PACKAGE|PATH [--dir DIR]… [options]',
  examples: [
    { line: 'toolwharf install ./chart.py', text: 'what a tool in a file needs' },
    { line: 'toolwharf install chart --dir tools', text: 'a package of a folder, by its id' },
    {
      line: 'toolwharf install chart --find-links ~/wheels',
      text: 'from wheels you have, without a network',
    },
  ],
  options: [
    { name: 'dir', value: 'DIR', multiple: true, text: 'where packages are (this folder unless told)' },
    dryRunOption,
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [wanted, ...more] = args.positionals;
    if (wanted === undefined || more.length > 0)
      throw new HostError('usage', 'name one package', { hint: 'see "toolwharf install --help"' });
    const { defaultPaths, defaultNamed, ...settings } = await sessionSettings(args, terminal);
    const isPath = isPackagePath(wanted, terminal);
    const named = args.values('dir').map((it) => resolve(terminal.cwd, it));
    const directories = isPath
      ? [resolve(terminal.cwd, wanted)]
      : named.length === 0
        ? defaultPaths()
        : named;
    const change = await withHost(args, terminal, async (host) => {
      const session = await host.session({
        principal: terminal.principal,
        directories,
        named: isPath || named.length > 0 ? directories : defaultNamed(),
        root: terminal.cwd,
        ...settings,
      });
      const id = isPath ? await soleId(session, wanted) : wanted;
      return session.install(id, {
        signal: terminal.signal,
        onStep: steps(args, terminal),
        dryRun: isDryRun(args),
      });
    });
    if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/change@1', ...change })}\n`);
    else terminal.out(`${summary(change)}\n`);
    return 0;
  },
};

/** One line a step, told as it begins: fetching may take minutes. */
function steps(args: Arguments, terminal: Terminal): ((name: string) => void) | undefined {
  return args.has('quiet') ? undefined : (name) => terminal.err(`${visibleLine(name)} …\n`);
}

async function soleId(session: Session, path: string): Promise<string> {
  const { packages } = await session.packages();
  const ids = packages.flatMap((it) => it.id ?? []);
  const [id, ...more] = ids;
  if (id !== undefined && more.length === 0) return id;
  if (more.length > 0)
    throw new HostError('usage', `${path} holds ${ids.length} packages; say which`, {
      hint: `toolwharf install ${id} --dir ${path}; the packages are ${ids.join(', ')}`,
    });
  if (packages.length > 0)
    throw new HostError('invalid_manifest', `${path} is not a sound package`, {
      hint: `see "toolwharf validate ${path}"`,
    });
  throw new HostError('not_found', `${path} holds no package`, {
    hint: 'name a manifest, or a folder with packages',
  });
}

function summary(change: Change): string {
  const done = change.steps.filter((it) => it.status === 'done');
  const name = visibleLine(change.package);
  const wanted = change.steps.filter((it) => it.status === 'needed');
  if (wanted.length > 0)
    return [`would fetch for ${name}`, ...wanted.map((it) => `  ${visibleLine(lineOf(it))}`)].join('\n');
  if (change.steps.length === 0) return `${name} needs nothing that has to be installed`;
  if (done.length === 0) return `${name} has everything it needs already`;
  const lines = done.map((it) => `  ${visibleLine(lineOf(it))}`);
  return [`${name} has everything it needs now`, ...lines].join('\n');
}

function lineOf({ name, detail }: ChangeStep): string {
  return detail === undefined ? name : `${name}: ${detail}`;
}
