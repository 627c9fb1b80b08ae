import type { RequestedInstallation } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printRequest } from '../../print/requested-installation.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { findRequest } from '../requested-installation.js';
import type { Terminal } from '../terminal/terminal.js';
import { withExistingHost } from '../with-host.js';

const verbs = ['list', 'show', 'refuse'];

export const requests: Command = {
  name: 'requests',
  summary: 'Show or refuse packages that agents asked for. Only a person can install them.',
  usage: 'requests list | show ID | refuse ID [--note TEXT]',
  examples: [
    { line: 'toolwharf requests list', text: 'show what agents asked for, and why' },
    { line: 'toolwharf install --request req_0f3c… --dry-run', text: 'fetch it and show its plan' },
    { line: 'toolwharf install --request req_0f3c…', text: 'show its plan, ask, and install it' },
    { line: "toolwharf requests refuse req_0f3c… --note 'use the tool that we have'", text: 'say no' },
  ],
  options: [{ name: 'note', value: 'TEXT', text: 'what the agent is told, with refuse' }, dryRunOption],
  async run(args, terminal) {
    const [verb = 'list', id, ...more] = args.positionals;
    if (!verbs.includes(verb))
      throw new HostError('usage', `unknown subcommand of requests: ${JSON.stringify(verb)}`, {
        hint: `use ${verbs.join(', ')}`,
      });
    if (args.has('note') && verb !== 'refuse')
      throw new HostError('usage', '--note works only with "requests refuse"');
    if (more.length > 0 || (verb === 'list' && id !== undefined))
      throw new HostError('usage', verb === 'list' ? 'list takes no id' : 'name one request at a time');
    if (verb === 'list') return list(args, terminal);
    if (id === undefined)
      throw new HostError('usage', `name the request to ${verb}`, { hint: 'see "toolwharf requests list"' });
    return verb === 'show' ? show(id, args, terminal) : refuse(id, args, terminal);
  },
};

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const waiting = await withExistingHost(args, terminal, (host) => host.installRequests.list());
  if (waiting.length === 0 && !args.has('json')) terminal.out('no agent asks for a package\n');
  else print(waiting, args, terminal);
  return 0;
}

async function show(id: string, args: Arguments, terminal: Terminal): Promise<number> {
  const request = await withExistingHost(args, terminal, (host) => findRequest(host, id));
  print([request], args, terminal);
  if (request.state === 'waiting' && !args.has('json'))
    terminal.out(
      `\nfetch it and show its plan: toolwharf install --request ${request.id} --dry-run\nrefuse it: toolwharf requests refuse ${request.id}\n`,
    );
  return 0;
}

async function refuse(written: string, args: Arguments, terminal: Terminal): Promise<number> {
  return withExistingHost(args, terminal, async (host) => {
    const request = await findRequest(host, written);
    if (isDryRun(args))
      return reportDryRun(
        `refuse ${request.id}, a request for ${request.source} that is ${request.state}`,
        args,
        terminal,
      );
    const by = { name: terminal.principal, channel: 'terminal' } as const;
    const refused = await host.installRequests.refuse(request.id, args.value('note'), by);
    if (args.has('json')) print([refused], args, terminal);
    else terminal.out(`refused: ${visibleLine(refused.source)} is not installed\n`);
    return 0;
  });
}

function print(found: readonly RequestedInstallation[], args: Arguments, terminal: Terminal): void {
  if (args.has('json')) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/requests@1', requests: found })}\n`);
    return;
  }
  // Programs that read the output need unwrapped lines.
  const columns = terminal.stdoutIsTerminal ? terminal.columns : undefined;
  terminal.out(found.map((it) => printRequest(it, columns)).join('\n'));
}
