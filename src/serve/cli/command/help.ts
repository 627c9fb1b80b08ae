import { printTwoColumns, type TwoColumnRow } from '../../print/two-columns.js';
import { wrap } from '../../print/width.js';
import { type Command, commonOptions, type Option } from './command.js';

/** Examples come first, to be copied. They are never wrapped, whatever the width. */
export function commandHelp(command: Command, columns: number): string {
  const examples = command.examples.map(({ line, text }): TwoColumnRow => [line, text]);
  const lines = [
    ...wrap(command.summary, columns),
    ...section('Examples', printTwoColumns(examples, columns, 56)),
    ...section('Usage', usage(command.usage, columns)),
    ...(command.options.length === 0 ? [] : section('Options', optionLines(command.options, columns))),
    ...section(
      'Options of every command',
      optionLines(
        commonOptions.filter((it) => !command.options.some((own) => own.name === it.name)),
        columns,
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ['', title, ...lines];
}

/** Continuation lines are indented further. */
function usage(text: string, columns: number): string[] {
  return wrap(`toolwharf ${text}`, columns - 6).map((it, index) => `${index === 0 ? '  ' : '      '}${it}`);
}

function optionLines(options: readonly Option[], columns: number): string[] {
  const entries = options.map((option): TwoColumnRow => {
    const short = option.short === undefined ? '    ' : `-${option.short}, `;
    return [
      `${short}--${option.name}${option.value === undefined ? '' : ` ${option.optionalValue === undefined ? option.value : `[${option.value}]`}`}`,
      option.text,
    ];
  });
  return printTwoColumns(entries, columns, 26);
}

export interface HelpEntry {
  readonly name: string;
  readonly summary: string;
}

export function mainHelp(commands: readonly HelpEntry[], columns: number): string {
  const lines = [
    ...wrap('Toolwharf: one trusted host for agent tools', columns),
    ...section(
      'Examples',
      printTwoColumns(
        [
          ['toolwharf validate ./tools', 'check every manifest in a folder'],
          [`toolwharf call ./word_count.py '{"text":"a b"}'`, 'run one tool in the sandbox'],
          ['toolwharf mcp ./tools', 'serve a folder to an MCP client'],
        ],
        columns,
        56,
      ),
    ),
    ...section(
      'Commands',
      printTwoColumns(
        commands.map((it): TwoColumnRow => [it.name, it.summary]),
        columns,
        12,
      ),
    ),
    ...section('Options, before or after the command', optionLines(commonOptions, columns)),
    ...section(
      'More',
      printTwoColumns(
        [
          ['toolwharf COMMAND --help', 'show examples and options of a command'],
          ['toolwharf help exit-codes', 'show what the exit codes mean'],
          ['toolwharf --version', 'print the version'],
        ],
        columns,
        28,
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** With their meaning. */
export const exitCodes: readonly TwoColumnRow[] = [
  ['0', 'success'],
  ['1', 'failure'],
  ['2', 'wrong usage, or something named was not found'],
  ['3', 'a manifest or the configuration is invalid or cannot be read'],
  ['4', 'a secret, setting or sign-in is missing'],
  ['5', 'approval is needed, or policy, a guardrail, a limit or the kill switch denied the call'],
  ['6', 'integrity check failed: something changed after it was checked'],
  ['7', 'the sandbox, a language runtime or a required program is unavailable'],
  ['8', 'timeout'],
  ['130', 'interrupted; 143 terminated'],
];

export function printExitCodes(columns: number): string {
  return `${['Exit codes', ...printTwoColumns(exitCodes, columns, 3)].join('\n')}\n`;
}
