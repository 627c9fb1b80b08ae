import type { EndorsementEntry, LabelSessionEntry, RemoteHost } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { expandId } from '../id-prefix.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withExistingHost } from '../with-host.js';

const verbs = ['list', 'show', 'new', 'endorsements', 'revoke'];

export const session: Command = {
  name: 'session',
  summary: 'Show which sessions have seen untrusted or private text, and start them anew.',
  usage: 'session list | show ID | new ID | endorsements | revoke ID',
  examples: [
    {
      line: 'toolwharf session list',
      text: 'show sessions and the call that changed their label',
    },
    { line: 'toolwharf session new lab_0f3c…', text: 'start a session anew: what it saw no longer counts' },
    { line: 'toolwharf session endorsements', text: 'list values that people vouched for' },
    { line: 'toolwharf session revoke end_0f3c…', text: 'ask about such a value again' },
  ],
  options: [pinOption, dryRunOption],
  async run(args, terminal) {
    const [verb = 'list', id, ...more] = args.positionals;
    if (!verbs.includes(verb))
      throw new HostError('usage', `unknown subcommand of session: ${JSON.stringify(verb)}`, {
        hint: `use ${verbs.join(', ')}`,
      });
    const takesId = verb !== 'list' && verb !== 'endorsements';
    if (more.length > 0 || (!takesId && id !== undefined))
      throw new HostError('usage', takesId ? 'name one id at a time' : `${verb} takes no id`);
    if (takesId && id === undefined)
      throw new HostError('usage', `name the ${verb === 'revoke' ? 'endorsement' : 'session'}`, {
        hint: `see "toolwharf session ${verb === 'revoke' ? 'endorsements' : 'list'}"`,
      });
    return withExistingHost(args, terminal, (host) => perform(verb, id ?? '', host, args, terminal));
  },
};

async function perform(
  verb: string,
  written: string,
  host: RemoteHost,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (verb === 'endorsements') return listEndorsements(host, args, terminal);
  if (verb === 'revoke') return revoke(written, host, args, terminal);
  const all = await host.labels.list();
  if (verb === 'list') {
    if (all.length === 0 && !args.has('json'))
      terminal.out('no session has seen text of others or private data\n');
    else print(all, args, terminal);
    return 0;
  }
  const id = expandId(
    written,
    'lab_',
    all.map((it) => it.id),
  );
  const found = await host.labels.get(id);
  if (verb === 'new') {
    if (isDryRun(args))
      return reportDryRun(`start the session ${id} of ${found.principal} anew`, args, terminal);
    await host.labels.reset(id, await terminalOperator(host, args, terminal));
    if (!args.has('json')) {
      terminal.out(`the session ${id} starts anew; what it saw no longer counts\n`);
      return 0;
    }
  }
  print([found], args, terminal);
  return 0;
}

async function listEndorsements(host: RemoteHost, args: Arguments, terminal: Terminal): Promise<number> {
  const all = await host.labels.endorsements();
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/endorsements@1', endorsements: all })}\n`);
  else if (all.length === 0) terminal.out('nobody vouched for a value\n');
  else terminal.out(all.map(endorsementLine).join(''));
  return 0;
}

async function revoke(
  written: string,
  host: RemoteHost,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const all = await host.labels.endorsements();
  const id = expandId(
    written,
    'end_',
    all.map((it) => it.id),
  );
  const found = all.find((it) => it.id === id);
  if (found === undefined)
    throw new HostError('not_found', `no endorsement with the id ${JSON.stringify(written.slice(0, 80))}`, {
      hint: 'list them: toolwharf session endorsements',
    });
  if (isDryRun(args)) return reportDryRun(`revoke the endorsement ${id}`, args, terminal);
  await host.labels.revoke(id, { name: terminal.principal, channel: 'terminal' });
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/endorsements@1', endorsements: [found] })}\n`);
  else terminal.out(`revoked: calls with ${visibleLine(found.value)} are held again\n`);
  return 0;
}

function print(sessions: readonly LabelSessionEntry[], args: Arguments, terminal: Terminal): void {
  if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolwharf/sessions@1', sessions })}\n`);
  else terminal.out(sessions.map(sessionLines).join(''));
}

function sessionLines({ id, principal, root, integrity, secrecy, ...by }: LabelSessionEntry): string {
  return [
    `${id}  ${integrity}, ${secrecy}  ${visibleLine(principal)}  ${visibleLine(root)}\n`,
    ...(by.untrustedBy === null ? [] : [`  untrusted since ${visibleLine(by.untrustedBy)}\n`]),
    ...(by.privateBy === null ? [] : [`  ${secrecy} since ${visibleLine(by.privateBy)}\n`]),
  ].join('');
}

function endorsementLine({ id, source, value, level, input, by, verified }: EndorsementEntry): string {
  const where = input === null ? '' : `  for ${visibleLine(input)}`;
  const who = `${visibleLine(by)}${verified ? '' : ', without the PIN'}`;
  return `${id}  ${visibleLine(value)}${where}\n  ${source}, up to level ${level}, by ${who}\n`;
}
