import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KillEntry, KillOutcome } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { killTargetText, parseKillTarget } from '../../../model/kill.js';
import { shellWord } from '../../../model/shell-word.js';
import { visibleLine } from '../../print/visible.js';
import { type Arguments, stateDirectory } from '../arguments.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { operatorHere, pinOption } from '../operator.js';
import type { Terminal } from '../terminal.js';
import { tellUnseen } from '../unseen-package.js';

/** A host that does not answer by then is told through the file. */
const patienceMs = 3000;

export const kill: Command = {
  name: 'kill',
  summary: 'Stop calls at once and keep them stopped: everything, a package, a tool, or a caller.',
  usage: 'kill [all | PACKAGE | PACKAGE/TOOL | principal:NAME] [--lift]',
  examples: [
    { line: 'toolwharf kill all', text: 'end every running call and refuse new ones' },
    { line: 'toolwharf kill weather/forecast', text: 'one tool only' },
    { line: 'toolwharf kill principal:http/laptop', text: 'whatever that caller does' },
    { line: 'toolwharf kill', text: 'see what is stopped' },
    { line: 'toolwharf kill --lift all', text: 'let calls through again' },
  ],
  options: [
    { name: 'lift', text: 'let it run again; without a target, the one thing that is stopped' },
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
  throw new HostError('usage', `${JSON.stringify(text.slice(0, 80))} cannot be stopped`, {
    hint: 'name all, PACKAGE, PACKAGE/TOOL or principal:NAME',
  });
}

async function stop(target: string, args: Arguments, terminal: Terminal): Promise<number> {
  if (isDryRun(args))
    return tellDryRun(
      `stop ${target}: end its running calls, refuse its held ones and all new ones`,
      args,
      terminal,
    );
  const done = await throughHost(target, args, terminal);
  if (args.has('json')) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/kill@1', target, killed: true, ...done })}\n`);
    return 0;
  }
  const name = visibleLine(target);
  if ('file' in done) terminal.out(`${name} is stopped by the file ${visibleLine(done.file)}\n`);
  else {
    const ended = done.ended === 1 ? '1 running call was ended' : `${done.ended} running calls were ended`;
    const voided = done.voided === 1 ? '1 held call was refused' : `${done.voided} held calls were refused`;
    terminal.out(
      `${name} ${done.changed ? 'is' : 'was'} stopped${done.changed ? '' : ' already'}; ${ended}, ${voided}\n`,
    );
  }
  terminal.out(`let it run again: toolwharf kill --lift ${name}\n`);
  return 0;
}

/** The file stops what the host itself cannot be asked to stop: it hangs, is of another version, or has a broken database. */
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
      async (host) => {
        const done = await host.kills.set(target, terminal.principal);
        const parsed = parseKillTarget(target);
        if (parsed?.kind === 'package' || parsed?.kind === 'tool')
          await tellUnseen(host, parsed.package, args, terminal);
        return done;
      },
      patienceMs,
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const file = join(state, 'KILL');
    if (!terminal.isFolder(state)) throw error;
    appendFileSync(file, `${target}\n`, { mode: 0o600 });
    terminal.err(`warning: ${visibleLine(why)}; a host that runs here sees the file within a second\n`);
    return { changed: true, file };
  }
}

async function lift(named: string | undefined, args: Arguments, terminal: Terminal): Promise<number> {
  const { target, changed } = await withHost(args, terminal, async (host) => {
    const killed = (await host.kills.list()).map((it) => it.target);
    const meant = named ?? onlyOne(killed);
    if (isDryRun(args)) return { target: meant, changed: killed.includes(meant) };
    const by = await operatorHere(host, args, terminal);
    return { target: meant, changed: await host.kills.lift(meant, by) };
  });
  if (isDryRun(args) && changed) return tellDryRun(`let ${target} run again`, args, terminal);
  const name = visibleLine(target);
  if (args.has('json'))
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/kill@1', target, killed: false, changed })}\n`);
  else terminal.out(changed ? `${name} may run again\n` : `${name} was not stopped; see "toolwharf kill"\n`);
  return 0;
}

/** Of several, nobody guesses which one is meant. */
function onlyOne(killed: readonly string[]): string {
  const [only, ...more] = killed;
  if (only !== undefined && more.length === 0) return only;
  if (only === undefined)
    throw new HostError('usage', 'nothing is stopped', { hint: 'see "toolwharf kill"' });
  throw new HostError('usage', `${killed.length} things are stopped: ${killed.join(', ')}`, {
    hint: `say which may run again: toolwharf kill --lift ${shellWord(only)}`,
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
