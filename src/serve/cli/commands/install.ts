import type { InstallResult, InstallStep, RemoteSession } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { openAgreeingSession } from '../agreeing-session.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption, sessionOptions } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { isPackagePath } from '../package-path.js';
import { pinOption } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { warnAboutInactive } from '../waivers.js';
import { withHost } from '../with-host.js';

export const install: Command = {
  name: 'install',
  summary: "Install a package's dependencies, such as Python or npm packages. Runs in the sandbox.",
  usage: 'install PACKAGE|PATH [--dir DIR]… [options]',
  examples: [
    { line: 'toolwharf install ./chart.py', text: 'install the dependencies of a tool in a file' },
    { line: 'toolwharf install chart --dir tools', text: 'a package in a folder, by its id' },
    {
      line: 'toolwharf install chart --find-links ~/wheels',
      text: 'from local wheels, without a network',
    },
  ],
  options: [dirOption, dryRunOption, pinOption, ...sessionOptions],
  async run(args, terminal) {
    const [name, ...more] = args.positionals;
    if (name === undefined || more.length > 0)
      throw new HostError('usage', 'name one package', { hint: 'see "toolwharf install --help"' });
    const isPath = isPackagePath(name, terminal);
    const typed = isPath ? [name] : args.values('dir');
    const options = await sessionFor(args, terminal, typed);
    const change = await withHost(args, terminal, async (host) => {
      const session = await openAgreeingSession(host, options, typed, args, terminal);
      await warnAboutInactive(session, args, terminal);
      const id = isPath ? await soleId(session, name) : name;
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

/** Prints a line when a step starts, because downloads may take minutes. */
function steps(args: Arguments, terminal: Terminal): ((name: string) => void) | undefined {
  return args.has('quiet') ? undefined : (name) => terminal.err(`${visibleLine(name)} …\n`);
}

async function soleId(session: RemoteSession, path: string): Promise<string> {
  const { packages } = await session.packages();
  const ids = packages.flatMap((it) => it.id ?? []);
  const [id, ...more] = ids;
  if (id !== undefined && more.length === 0) return id;
  if (more.length > 0)
    throw new HostError('usage', `${path} has ${ids.length} packages; name one`, {
      hint: `toolwharf install ${id} --dir ${path}; the packages are ${ids.join(', ')}`,
    });
  if (packages.length > 0)
    throw new HostError('invalid_manifest', `${path} is not a valid package`, {
      hint: `see "toolwharf validate ${path}"`,
    });
  throw new HostError('not_found', `no package found in ${path}`, {
    hint: 'name a manifest, or a folder with packages',
  });
}

function summary(change: InstallResult): string {
  const done = change.steps.filter((it) => it.status === 'done');
  const name = visibleLine(change.package);
  const needed = change.steps.filter((it) => it.status === 'needed');
  if (needed.length > 0)
    return [`would install for ${name}`, ...needed.map((it) => `  ${visibleLine(lineOf(it))}`)].join('\n');
  if (change.steps.length === 0) return `${name} has no dependencies to install`;
  if (done.length === 0) return `the dependencies of ${name} are already installed`;
  const lines = done.map((it) => `  ${visibleLine(lineOf(it))}`);
  return [`installed the dependencies of ${name}`, ...lines].join('\n');
}

function lineOf({ name, detail }: InstallStep): string {
  return detail === undefined ? name : `${name}: ${detail}`;
}
