import type { RemoteSession } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { printChange } from '../../print/change.js';
import { printPlan } from '../../print/plan.js';
import { printRequester } from '../../print/requested-installation.js';
import { changeProgress } from '../change-progress.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { agreesToPlan } from '../install-agreement.js';
import { collectValues, secretOption } from '../install-values.js';
import { lifecycleOptions, openLifecycleSession, packageAllow } from '../lifecycle-session.js';
import { isPackagePath } from '../package-path.js';
import { findRequest } from '../requested-installation.js';
import { restoreFrom } from '../restore.js';
import { changeDocument, planDocument, sourceOptions } from '../source-options.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { withHost } from '../with-host.js';

export const agreementOptions = [
  { name: 'agree', value: 'DIGEST', text: 'agree to the plan with this digest, and install no other' },
  secretOption,
  { name: 'skip-smoke', text: 'do not run its smoke test; this is recorded and shown' },
];

export const install: Command = {
  name: 'install',
  summary: 'Show the plan of a package, ask, then fetch, test and serve it. A failed step changes nothing.',
  usage: 'install [SOURCE] [--save | --locked] [--dir DIR]… [options] | install --request ID [options]',
  examples: [
    { line: 'toolwharf install ./weather', text: 'from a folder, a manifest or an archive' },
    {
      line: 'toolwharf install npm:@example/weather@^2 --yes --allow net:api.example.com',
      text: 'in a script: name what it asks for',
    },
    {
      line: 'toolwharf install ./weather --agree 3f9c… --secret API_KEY=@key.txt',
      text: 'exactly the plan that "toolwharf plan --json" printed, with a credential',
    },
    { line: 'toolwharf install ./tools/weather --save', text: 'for this project, and in its toolwharf.lock' },
    { line: 'toolwharf install', text: 'exactly what toolwharf.lock says, on another machine' },
    { line: 'toolwharf install --request req_0f3c…', text: 'what an agent asked for' },
    { line: 'toolwharf install chart --dir tools', text: 'a package in a folder, by its id' },
  ],
  options: [
    { name: 'request', value: 'ID', text: 'install what an agent asked for; see "toolwharf requests list"' },
    { name: 'save', text: 'serve it only in this folder, and write it to toolwharf.lock here' },
    { name: 'locked', text: 'fail if toolwharf.lock does not have it, or would change' },
    ...[dirOption, ...sourceOptions, ...agreementOptions, pinOption, dryRunOption],
    ...lifecycleOptions,
  ],
  async run(args, terminal) {
    const [name, ...more] = args.positionals;
    const request = args.value('request');
    if (request !== undefined) {
      if (name !== undefined || args.has('dir'))
        throw new HostError('usage', 'name a source or --request, not both');
      return installFrom({ request, package: args.value('package') }, args, terminal);
    }
    if (args.has('save') && args.has('locked'))
      throw new HostError('usage', '--save changes the lock file, and --locked says that it must not change');
    if (name === undefined && args.has('save'))
      throw new HostError('usage', 'name the source to save', { hint: 'see "toolwharf install --help"' });
    if (more.length === 0 && (name === undefined || args.has('locked')))
      return restoreFrom(name, args, terminal);
    if (name === undefined || more.length > 0)
      throw new HostError('usage', 'name one source', { hint: 'see "toolwharf install --help"' });
    const source = await sourceFrom(name, args, terminal);
    return installFrom({ source, package: args.value('package') }, args, terminal);
  },
};

/** What to install: a source, what an agent asked for, or an installed package to update. */
interface InstallTarget {
  readonly source?: string;
  readonly request?: string;
  readonly package?: string | undefined;
}

/** Shows the plan, asks, collects values and installs. Shared with `update`. */
export async function installFrom(
  target: InstallTarget,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  return withHost(args, terminal, async (host) => {
    const session = await openLifecycleSession(host, args, terminal, isDryRun(args) ? 'look' : 'use');
    const asked = target.request === undefined ? undefined : await findRequest(host, target.request);
    const request = {
      ...target,
      ...(asked === undefined ? {} : { request: asked.id }),
      sha256: args.value('sha256'),
      allow: packageAllow(args),
      estimate: args.has('estimate'),
      signal: terminal.signal,
      onProgress: changeProgress(args, terminal),
    };
    const { installations } = session;
    const plan = await installations.plan(request);
    if (isDryRun(args)) {
      terminal.out(args.has('json') ? planDocument(plan) : printed());
      return 0;
    }
    if (!args.has('json') && !args.has('quiet')) terminal.out(`${printed()}\n`);
    if (plan.blockers.length > 0)
      throw new HostError(
        'runtime_missing',
        `${plan.package.id} cannot run here: ${plan.blockers.join('; ')}`,
      );
    if (!(await agreesToPlan(plan, args, terminal))) {
      terminal.err('nothing was changed\n');
      if (asked !== undefined)
        terminal.err(`the request still waits; refuse it: toolwharf requests refuse ${asked.id}\n`);
      return errorTable.approval_required.exit;
    }
    const values = await collectValues(plan, installations, args, terminal);
    const by = await terminalOperator(host, args, terminal);
    const change = await installations.install({
      ...request,
      ...{ agree: plan.digest, values, by, skipSmoke: args.has('skip-smoke'), save: args.has('save') },
    });
    terminal.out(args.has('json') ? changeDocument(change) : printChange(change));
    return 0;
    function printed(): string {
      const page = printPlan(plan, terminalStyle(args, terminal), terminal.columns);
      return asked === undefined ? page : `${printRequester(asked, terminal.columns)}\n${page}`;
    }
  });
}

/** A package can also be named by its id, in a folder. Everything else is a source already. */
async function sourceFrom(name: string, args: Arguments, terminal: Terminal): Promise<string> {
  const isSource = isPackagePath(name, terminal) || /^[a-z][a-z0-9+]*:/.test(name);
  if (isSource && args.values('dir').length === 0) return name;
  const options = await sessionFor(argsWithoutAllow(args), terminal, args.values('dir'));
  const path = await withHost(args, terminal, async (host) => {
    const session = await host.session({ ...options, intent: 'look', set: null });
    return pathOf(name, session);
  });
  if (path !== undefined) return path;
  throw new HostError('not_found', `no package or source ${JSON.stringify(name)} was found`, {
    hint: 'name a path, an archive, or a source such as npm:NAME; see "toolwharf install --help"',
  });
}

async function pathOf(id: string, session: RemoteSession): Promise<string | undefined> {
  const { packages } = await session.packages();
  return packages.find((it) => it.id === id)?.path;
}

function argsWithoutAllow(args: Arguments): Arguments {
  return { ...args, positionals: args.positionals, values: (it) => (it === 'allow' ? [] : args.values(it)) };
}
