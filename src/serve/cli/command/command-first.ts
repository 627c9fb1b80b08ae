import { HostError } from '../../../model/host-error.js';
import { formatOption } from './arguments.js';
import { commonOptions, type Option } from './command.js';

const globalOptions: readonly Option[] = [...commonOptions, formatOption];

export interface CommandLine {
  /** Undefined if only options were given. */
  readonly verb: string | undefined;
  readonly rest: readonly string[];
}

/** `toolwharf --state DIR list` means `toolwharf list --state DIR`: options of every command may come before it. */
export function commandFirst(argv: readonly string[]): CommandLine {
  let at = 0;
  while (at < argv.length) {
    const word = argv[at] as string;
    if (!word.startsWith('-') || isAnswer(word)) break;
    const option = globalOption(word);
    if (option === undefined)
      throw new HostError('usage', `${word} is not an option of every command`, {
        hint: 'write it after the command; "toolwharf --help" shows the commands',
      });
    const needsValue = option.value !== undefined && !word.includes('=');
    if (needsValue && argv[at + 1] === undefined)
      throw new HostError('usage', `--${option.name} needs a value: --${option.name} ${option.value}`, {
        hint: 'see "toolwharf --help"',
      });
    at += needsValue ? 2 : 1;
  }
  return { verb: argv[at], rest: [...argv.slice(0, at), ...argv.slice(at + 1)] };
}

/** These are answered like a command. */
function isAnswer(word: string): boolean {
  return ['--help', '-h', '--version', '-V'].includes(word);
}

/** `-qv` is a group of switches. */
function globalOption(word: string): Option | undefined {
  const name = word.replace(/=.*$/s, '');
  const named = globalOptions.find((it) => name === `--${it.name}` || name === `-${it.short}`);
  if (named !== undefined || !/^-[a-z]{2,}$/.test(word)) return named;
  const group = [...word.slice(1)].map((letter) => globalOptions.find((it) => it.short === letter));
  return group.every((it) => it !== undefined && it.value === undefined) ? group[0] : undefined;
}
