import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KillEntry, KillOutcome } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { killTargetText, parseKillTarget } from '../../../model/kill-target.js';
import { shellQuote } from '../../../model/shell-quote.js';
import { visibleLine } from '../../print/visible.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withHost } from '../with-host.js';

/** A host that does not answer within this time is stopped through the KILL file. */
const hostTimeoutMs = 3000;

export const kill: Command = {
  name: 'kill',
  summary: 'Stop calls immediately and block new ones: everything, a package, a tool or a caller.',
  usage: 'kill [all | PACKAGE | PACKAGE/TOOL | principal:NAME] [--force | --lift]',
  examples: [
    { line: 'toolwharf kill all', text: 'end every running call and block new ones' },
    { line: 'toolwharf kill weather/forecast', text: 'stop one tool only' },
    { line: 'toolwharf kill principal:http/laptop', text: 'stop every call of this caller' },
    { line: 'toolwharf kill', text: 'show what is stopped' },
    { line: 'toolwharf kill new-tool --force', text: 'block a package before it is added' },
    { line: 'toolwharf kill --lift all', text: 'allow calls again' },
  ],
  options: [
    { name: 'force', text: 'stop a target that was never seen here, for example in advance' },
    { name: 'lift', text: 'allow calls again; without a target, lifts the only stop' },
    pinOption,
    dryRunOption,
  ],
  async run(args, terminal) {
    const [target, ...more] = args.positionals;
    if (more.length > 0)
      throw new HostError('usage', 'name one target', { hint: 'see "toolwharf kill --help"' });
    if (args.has('lift')) return lift(target === undefined ? undefined : checked(target), args, terminal);
    return target === undefined ? list(args, terminal) : stop(checked(target), args, terminal);
  },
};

function checked(text: string): string {
  const target = parseKillTarget(text);
  if (target !== undefined) return killTargetText(target);
  throw new HostError('usage', `${JSON.stringify(text.slice(0, 80))} is not a valid target`, {
    hint: 'use all, PACKAGE, PACKAGE/TOOL or principal:NAME',
  });
}

async function stop(target: string, args: Arguments, terminal: Terminal): Promise<number> {
  if (isDryRun(args) && !args.has('force'))
    await withHost(args, terminal, (host) => host.kills.check(target));
  if (isDryRun(args))
    return reportDryRun(
      `stop ${target}: end running calls, deny held calls and block new ones`,
      args,
      terminal,
    );
  const done = await throughHost(target, args, terminal);
  if (args.has('json')) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/kill@1', target, killed: true, ...done })}\n`);
    return 0;
  }
  const name = visibleLine(target);
  if ('file' in done) terminal.out(`${name} is stopped through the file ${visibleLine(done.file)}\n`);
  else {
    const ended = done.ended === 1 ? '1 running call was ended' : `${done.ended} running calls were ended`;
    const voided = done.voided === 1 ? '1 held call was denied' : `${done.voided} held calls were denied`;
    terminal.out(`${name} ${done.changed ? 'is' : 'was already'} stopped; ${ended}, ${voided}\n`);
  }
  terminal.out(`to allow calls again: toolwharf kill --lift ${name}\n`);
  return 0;
}

/** Falls back to the KILL file if the host cannot be asked: it hangs, has another version or a broken database. */
async function throughHost(
  target: string,
  args: Arguments,
  terminal: Terminal,
): Promise<KillOutcome | { changed: true; file: string }> {
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  try {
    return await withHost(
      args,
      terminal,
      (host) => host.kills.set(target, terminal.principal, args.has('force')),
      hostTimeoutMs,
    );
  } catch (error) {
    // The host answered: nothing here has this name.
    if (error instanceof HostError && error.code === 'not_found') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const file = join(state, 'KILL');
    if (!terminal.isFolder(state)) throw error;
    appendFileSync(file, `${target}\n`, { mode: 0o600 });
    terminal.err(`warning: ${visibleLine(reason)}; a running host reads the file within a second\n`);
    return { changed: true, file };
  }
}

async function lift(named: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  const { target, changed } = await withHost(args, terminal, async (host) => {
    const killed = (await host.kills.list()).map((it) => it.target);
    const meant = named ?? onlyOne(killed);
    if (isDryRun(args)) return { target: meant, changed: killed.includes(meant) };
    const by = await terminalOperator(host, args, terminal);
    return { target: meant, changed: await host.kills.lift(meant, by) };
  });
  if (isDryRun(args) && changed) return reportDryRun(`allow calls of ${target} again`, args, terminal);
  const name = visibleLine(target);
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/kill@1', target, killed: false, changed })}\n`);
  else
    terminal.out(
      changed ? `calls of ${name} are allowed again\n` : `${name} was not stopped; see "toolwharf kill"\n`,
    );
  return 0;
}

/** The only stopped target; an error if there are several. */
function onlyOne(killed: readonly string[]): string {
  const [only, ...more] = killed;
  if (only !== undefined && more.length === 0) return only;
  if (only === undefined)
    throw new HostError('usage', 'nothing is stopped', { hint: 'see "toolwharf kill"' });
  throw new HostError('usage', `${killed.length} targets are stopped: ${killed.join(', ')}`, {
    hint: `name one: toolwharf kill --lift ${shellQuote(only)}`,
  });
}

async function list(args: Arguments, terminal: Terminal): Promise<number> {
  const killed = await withHost(args, terminal, (host) => host.kills.list());
  if (args.has('json')) terminal.out(`${JSON.stringify(killsDocument(killed))}\n`);
  else if (killed.length === 0) terminal.out('nothing is stopped\n');
  else
    for (const { target, at, by } of killed)
      terminal.out(`${visibleLine(`${target}  since ${new Date(at).toISOString()}  by ${by}`)}\n`);
  return 0;
}

function killsDocument(killed: readonly KillEntry[]) {
  return {
    schema: 'toolwharf/kills@1',
    killed: killed.map(({ target, at, by }) => ({ target, since: new Date(at).toISOString(), by })),
  };
}
