import { resolve } from 'node:path';
import { asHostError, HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { visible } from '../../print/visible.js';
import { lookingTerminal } from '../looking-terminal.js';
import type { Terminal } from '../terminal/terminal.js';
import { parseArguments } from './arguments.js';
import { type Arguments, commonOptions } from './command.js';
import { suggestCommand } from './command-suggestion.js';
import { commands } from './commands.js';
import { commandHelp, exitCodes, mainHelp } from './help.js';

/** Runs one command line and returns its exit code. Never throws. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  const wantsJson = /(?:^|\n)--(?:json|format[\n=]json)(?:\n|$)/.test(argv.join('\n'));
  const verbose = argv.includes('-v') || argv.includes('--verbose');
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    return report(error, terminal, wantsJson, verbose);
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [verb, ...rest] = commandFirst(argv);
  if (verb === undefined || verb === '--help' || verb === '-h' || verb === 'help') {
    return help(rest, terminal, verb === undefined ? 2 : 0);
  }
  const name = verb === 'ext' ? (rest.shift() ?? '') : verb;
  const { command, effect } = await loadCommand(name, terminal);
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(commandHelp(command, terminal.columns));
    return 0;
  }
  const args = parseArguments(command, rest);
  const color = args.value('color');
  if (color !== undefined && !['auto', 'always', 'never'].includes(color)) {
    throw new HostError('usage', `unknown value for --color: ${JSON.stringify(color)}`, {
      hint: 'use auto, always or never',
    });
  }
  const reads = effect === 'reads' || args.has('dry-run');
  return command.run(args, withCwd(reads ? lookingTerminal(terminal) : terminal, args));
}

/** `toolwharf -q list` means `toolwharf list -q`: options of every command may come before the command. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const switches = commonOptions.filter((it) => it.value === undefined && it.name !== 'help');
  const isSwitch = (word: string) =>
    switches.some((it) => word === `--${it.name}` || (it.short !== undefined && word === `-${it.short}`));
  const at = argv.findIndex((it) => !isSwitch(it));
  return at < 1 ? argv : [argv[at] as string, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

function withCwd(terminal: Terminal, args: Arguments): Terminal {
  const cwd = args.value('cwd');
  if (cwd === undefined) return terminal;
  const folder = resolve(terminal.cwd, cwd);
  if (!terminal.isFolder(folder))
    throw new HostError('not_found', `no such folder: ${folder}`, { hint: 'check the path after --cwd' });
  return { ...terminal, cwd: folder };
}

async function loadCommand(name: string, { loadFormats }: Terminal) {
  const entry = commands.find((it) => it.name === name);
  if (entry !== undefined) return { command: await entry.load(loadFormats), effect: entry.effect };
  const meant = suggestCommand(
    name,
    commands.filter((it) => !it.hidden).map((it) => it.name),
  );
  const hint = meant === undefined ? 'see "toolwharf --help"' : `did you mean "toolwharf ${meant}"?`;
  throw new HostError('usage', `unknown command ${JSON.stringify(name)}`, { hint });
}

async function help([topic]: readonly string[], terminal: Terminal, exit: number): Promise<number> {
  if (topic === 'exit-codes') terminal.out(exitCodes(terminal.columns));
  else if (topic !== undefined)
    terminal.out(commandHelp((await loadCommand(topic, terminal)).command, terminal.columns));
  else
    (exit === 0 ? terminal.out : terminal.err)(
      mainHelp(
        commands.filter((it) => !it.hidden),
        terminal.columns,
      ),
    );
  return exit;
}

function report(error: unknown, terminal: Terminal, json: boolean, verbose: boolean): number {
  const hostError = asHostError(error);
  const { code, message, hint } = hostError;
  if (json) {
    const docs = 'docs/errors.md';
    terminal.out(
      `${JSON.stringify({ error: { code, message, ...(hint === undefined ? {} : { hint }), docs: `${docs}#${code}` } })}\n`,
    );
  } else {
    terminal.err(`error: ${visible(message)}\n${hint === undefined ? '' : `  ${visible(hint)}\n`}`);
  }
  if (verbose && hostError.cause !== undefined) terminal.err(`${details(hostError.cause)}\n`);
  return errorTable[code].exit;
}

function details(cause: unknown): string {
  return visible(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
}
