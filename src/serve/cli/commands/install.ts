import type { ChangeProgress, RemoteSession } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { printChange } from '../../print/change.js';
import { printPlan } from '../../print/plan.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dirOption } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { agreesToPlan } from '../install-agreement.js';
import { collectValues, secretOption } from '../install-values.js';
import { lifecycleOptions, openLifecycleSession, packageAllow } from '../lifecycle-session.js';
import { isPackagePath } from '../package-path.js';
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
  usage: 'install SOURCE [--dir DIR]… [options]',
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
    { line: 'toolwharf install chart --dir tools', text: 'a package in a folder, by its id' },
  ],
  options: [dirOption, ...sourceOptions, ...agreementOptions, pinOption, dryRunOption, ...lifecycleOptions],
  async run(args, terminal) {
    const [name, ...more] = args.positionals;
    if (name === undefined || more.length > 0)
      throw new HostError('usage', 'name one source', { hint: 'see "toolwharf install --help"' });
    const source = await sourceFrom(name, args, terminal);
    return installFrom({ source, package: args.value('package') }, args, terminal);
  },
};

/** Shows the plan, asks, collects values and installs. Shared with `update`. */
export async function installFrom(
  target: { readonly source?: string; readonly package?: string | undefined },
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  return withHost(args, terminal, async (host) => {
    const session = await openLifecycleSession(host, args, terminal, isDryRun(args) ? 'look' : 'use');
    const request = {
      ...target,
      sha256: args.value('sha256'),
      allow: packageAllow(args),
      estimate: args.has('estimate'),
      signal: terminal.signal,
      onProgress: progress(args, terminal),
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
      return errorTable.approval_required.exit;
    }
    const values = await collectValues(plan, installations, args, terminal);
    const by = await terminalOperator(host, args, terminal);
    const change = await installations.install({
      ...request,
      ...{ agree: plan.digest, values, by, skipSmoke: args.has('skip-smoke') },
    });
    terminal.out(args.has('json') ? changeDocument(change) : printChange(change));
    return 0;
    function printed(): string {
      return printPlan(plan, terminalStyle(args, terminal), terminal.columns);
    }
  });
}

/** One line per step. While bytes arrive, nothing more is printed: a pipe or log would fill with them. */
function progress(args: Arguments, terminal: Terminal): ((progress: ChangeProgress) => void) | undefined {
  if (args.has('quiet')) return undefined;
  let last = '';
  return ({ step, detail }) => {
    const line = `${step}: ${visibleLine(detail)}`;
    if (line !== last) terminal.err(`${line} …\n`);
    last = line;
  };
}

/** A package can also be named by its id, in a folder. Everything else is a source already. */
async function sourceFrom(name: string, args: Arguments, terminal: Terminal): Promise<string> {
  const isSource = isPackagePath(name, terminal) || /^[a-z][a-z0-9+]*:/.test(name);
  if (isSource && args.values('dir').length === 0) return name;
  const options = await sessionFor(argsWithoutAllow(args), terminal, args.values('dir'));
  const path = await withHost(args, terminal, async (host) => {
    const session = await host.session({ ...options, intent: 'look' });
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
