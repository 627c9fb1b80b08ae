import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { suggest } from '../../formats/suggest.js';
import { HostError } from '../../model/host-error.js';
import { type Command, commonOptions, type Option } from './command.js';

/** A parsed command line. */
export interface Arguments {
  readonly positionals: readonly string[];
  has(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

/** `--format json` means `--json` everywhere; commands with more forms than these two say so themselves. */
const formatOption: Option = { name: 'format', value: 'FORM', text: 'text or json' };

export function parseArguments(command: Command, given: readonly string[]): Arguments {
  const ownFormat = command.options.some((it) => it.name === 'format');
  const known = [...command.options, ...commonOptions, ...(ownFormat ? [] : [formatOption])];
  const words = joinedWords(given, known);
  const options = Object.fromEntries(
    known.map((it) => [
      it.name,
      {
        type: it.value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: true,
        ...(it.short === undefined ? {} : { short: it.short }),
      },
    ]),
  );
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongOption(error, command, known, words);
  }
  const values = (name: string): readonly string[] => (parsed.values[name] as string[] | undefined) ?? [];
  for (const option of known) {
    if (option.value !== undefined && !option.multiple && values(option.name).length > 1) {
      throw new HostError('usage', `--${option.name} was given twice`, {
        hint: `see "toolwharf ${command.name} --help"`,
      });
    }
  }
  const form = values('format')[0];
  if (!ownFormat && form !== undefined && form !== 'json' && form !== 'text')
    throw new HostError('usage', `--format ${JSON.stringify(form)} is not known`, {
      hint: `${command.name} prints text, or one document with --json`,
    });
  return {
    positionals: parsed.positionals,
    has: (name) => parsed.values[name] !== undefined || (name === 'json' && form === 'json'),
    value: (name) => values(name)[0],
    values,
  };
}

/** `--when path under /x` becomes one value, as if it had been in quotes. */
function joinedWords(words: readonly string[], known: readonly Option[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--') return [...joined, ...words.slice(at)];
    const option = known.find((it) => it.words !== undefined && word === `--${it.name}`);
    const first = words[at + 1];
    if (option?.words === undefined || first === undefined || /\s/.test(first)) {
      joined.push(word);
      continue;
    }
    const value = words.slice(at + 1, at + 1 + option.words);
    joined.push(`${word}=${value.join(' ')}`);
    at += value.length;
  }
  return joined;
}

function wrongOption(
  error: unknown,
  command: Command,
  known: readonly Option[],
  words: readonly string[],
): HostError {
  const { code } = error as { code?: string };
  const help = `see "toolwharf ${command.name} --help"`;
  const options = words.filter((it) => /^-./.test(it)).map((it) => it.replace(/=.*$/s, ''));
  const named = (written: string) =>
    known.find((it) => written === `--${it.name}` || written === `-${it.short}`);
  const unknown = options.find((it) => named(it) === undefined);
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && unknown !== undefined) {
    const meant = suggest(
      unknown.replace(/^-+/, ''),
      known.map((it) => it.name),
    );
    const hint = meant === undefined ? help : `did you mean --${meant}? ${help}`;
    return new HostError('usage', `${command.name} has no option ${unknown}`, { hint, cause: error });
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    for (const [index, word] of words.entries()) {
      const option = named(word.replace(/=.*$/s, ''));
      if (option === undefined) continue;
      if (option.value === undefined && word.includes('=')) {
        return new HostError('usage', `--${option.name} takes no value`, { hint: help, cause: error });
      }
      if (option.value !== undefined && !word.includes('=') && /^(?:-|$)/.test(words[index + 1] ?? '')) {
        const message = `--${option.name} needs a value: --${option.name} ${option.value}`;
        return new HostError('usage', message, { hint: help, cause: error });
      }
    }
  }
  return new HostError('usage', 'these arguments are not understood', { hint: help, cause: error });
}

/** `2s`, `500ms`, `5m` or plain seconds. */
export function parseDuration(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? 's'] as number;
  const milliseconds = match === null ? Number.NaN : Math.round(Number(match[1]) * unit);
  if (!(milliseconds > 0) || milliseconds > 24 * 3_600_000) {
    throw new HostError('usage', `--${option} ${JSON.stringify(text)} is not a duration`, {
      hint: 'write 2s, 500ms, 5m or plain seconds',
    });
  }
  return milliseconds;
}

/** `90m`, `12h`, `30d`. */
export function parseLifetime(text: string, option: string): number {
  const match = /^(\d{1,6})(m|h|d)$/.exec(text);
  const unit = { m: 60_000, h: 3_600_000, d: 86_400_000 }[match?.[2] ?? 'm'] as number;
  const milliseconds = match === null ? 0 : Number(match[1]) * unit;
  if (milliseconds <= 0 || milliseconds > 3650 * 86_400_000)
    throw new HostError('usage', `--${option} ${JSON.stringify(text)} is not a time`, {
      hint: 'write 90m, 12h or 30d; ten years at most',
    });
  return milliseconds;
}

/** Nothing is put anywhere by guessing. */
export function homeFolder(
  environment: Readonly<Record<string, string | undefined>>,
  instead: string,
): string {
  if (environment.HOME !== undefined && isAbsolute(environment.HOME)) return environment.HOME;
  try {
    // Not what the environment says: that was nothing.
    const { homedir } = userInfo();
    if (isAbsolute(homedir)) return homedir;
  } catch {
    // Users without an entry in the system's list exist, in containers above all.
  }
  throw new HostError('usage', 'HOME is not set, and this user has no home folder', {
    hint: `say where things are with ${instead}`,
  });
}

/** Flag, then environment, then the user's place for state. */
export function stateDirectory(
  args: Arguments,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string {
  const named = args.value('state') ?? environment.TOOLWHARF_HOME;
  if (named !== undefined && named !== '') return resolve(cwd, named);
  const wished = environment.XDG_STATE_HOME ?? '';
  const base = isAbsolute(wished)
    ? wished
    : join(homeFolder(environment, '--state or TOOLWHARF_HOME'), '.local', 'state');
  return join(base, 'toolwharf');
}
