import { type Entry, printEntries } from '../print/entries.js';
import { wrap } from '../print/width.js';
import { type Command, commonOptions, type Option } from './command.js';

/** Examples first: most readers want one to copy. They are never broken, whatever the width. */
export function commandHelp(command: Command, columns: number): string {
  const examples = command.examples.map(({ line, text }): Entry => [line, text]);
  const lines = [
    ...wrap(command.summary, columns),
    ...section('Examples', printEntries(examples, columns, 56)),
    ...section('Usage', usage(command.usage, columns)),
    ...(command.options.length === 0 ? [] : section('Options', optionLines(command.options, columns))),
    ...section('Everywhere', optionLines(commonOptions, columns)),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', title, ...lines];
}

/** Set in where it goes on, so that it reads as one. */
function usage(text: string, columns: number): string[] {
  return wrap(`toolwharf ${text}`, columns - 6).map((it, index) => `${index === 0 ? '  ' : '      '}${it}`);
}

function optionLines(options: readonly Option[], columns: number): string[] {
  const entries = options.map((option): Entry => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    return [`${short}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`, option.text];
  });
  return printEntries(entries, columns, 26);
}

export interface Topic {
  readonly name: string;
  readonly summary: string;
}

export function mainHelp(commands: readonly Topic[], columns: number): string {
  const lines = [
    ...wrap('Toolwharf: one trusted host for agent tools', columns),
    ...section(
      'Examples',
      printEntries(
        [
          ['toolwharf validate ./tools', 'check every manifest in a folder'],
          [`toolwharf call ./word_count.py '{"text":"a b"}'`, 'run one tool, confined'],
          ['toolwharf mcp ./tools', 'serve a folder to an MCP client'],
        ],
        columns,
        56,
      ),
    ),
    ...section(
      'Commands',
      printEntries(
        commands.map((it): Entry => [it.name, it.summary]),
        columns,
        12,
      ),
    ),
    ...section(
      'More',
      printEntries(
        [
          ['toolwharf COMMAND --help', 'examples and options of a command'],
          ['toolwharf help exit-codes', 'what the exit codes mean'],
          ['toolwharf --version', 'the version'],
        ],
        columns,
        28,
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

export function exitCodes(columns: number): string {
  const codes: readonly Entry[] = [
    ['0', 'done'],
    ['1', 'failed'],
    ['2', 'wrong usage, or nothing found at a path'],
    ['3', 'an invalid manifest (also one that cannot be read)'],
    ['4', 'a secret, setting or sign-in is missing'],
    ['5', 'approval is needed, or policy, a guardrail, a limit or the kill switch says no'],
    ['6', 'something is not what it was when it was checked'],
    ['7', 'the sandbox, a runtime or a needed program is not available'],
    ['8', 'out of time'],
    ['130', 'interrupted; 143 terminated'],
  ];
  return `${['Exit codes', ...printEntries(codes, columns, 3)].join('\n')}\n`;
}
