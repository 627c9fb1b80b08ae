// The manual page, written from the table of commands.
import { type Command, commonOptions, type Option } from './command/command.js';
import { exitCodes } from './command/help.js';
import { configKeys } from './config/config-keys.js';

const variables: readonly (readonly [name: string, text: string])[] = [
  ['TOOLWHARF_HOME', 'the state directory, like --state'],
  [
    'TOOLWHARF_PASSPHRASE',
    'the passphrase of the encryption key, if "secret rekey --to passphrase" was used',
  ],
  ['TOOLWHARF_NATS_LOGIN', 'name and password for the NATS server, as NAME:PASSWORD'],
  ...configKeys.flatMap((it) => ('variable' in it ? [[it.variable, `the setting ${it.name}`] as const] : [])),
  ['NO_COLOR', 'if set, the output has no colors'],
  ['XDG_CONFIG_HOME, XDG_STATE_HOME', 'where the files below are, if set'],
];

const files: readonly (readonly [name: string, text: string])[] = [
  ['~/.config/toolwharf/config.toml', "the user's configuration; it may grant and waive"],
  ['toolwharf.toml', 'the configuration of a project; it can only make settings stricter'],
  ['~/.local/state/toolwharf', 'the state directory: database, vault, environments and logs'],
];

export function manPage(commands: readonly Command[], version: string): string {
  const lines = [
    `.TH TOOLWHARF 1 "" "Toolwharf ${escaped(version)}" "User Commands"`,
    // Without hyphenation and with a ragged edge: commands are copied from here.
    '.nh',
    '.ad l',
    '.SH NAME',
    'toolwharf \\- one trusted host for agent tools',
    '.SH SYNOPSIS',
    '.B toolwharf',
    '.RI [ options ]',
    '.I command',
    '.RI [ arguments ]',
    '.SH DESCRIPTION',
    text(
      'Toolwharf reads tool manifests of several formats, checks them, runs the tools in a sandbox with only the access that they declare, asks a person where approval is needed, and logs every call.',
    ),
    text('It serves the tools to MCP clients, the shell, HTTP and TypeScript.'),
    '.SH OPTIONS',
    text('These options work with every command, before or after it.'),
    ...commonOptions.flatMap(optionLines),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => tagged(`\\fB${escaped(code)}\\fR`, meaning)),
    '.SH ENVIRONMENT',
    ...variables.flatMap(([name, about]) => tagged(`\\fB${escaped(name)}\\fR`, about)),
    '.SH FILES',
    ...files.flatMap(([name, about]) => tagged(`\\fI${escaped(name)}\\fR`, about)),
    '.SH SEE ALSO',
    text(
      '"toolwharf COMMAND --help" shows the same for one command. "toolwharf explain CODE" explains a diagnostic or error code. The folder docs of the package has the guides.',
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines({ name, summary, usage, examples, options }: Command): string[] {
  return [
    `.SS ${escaped(name)}`,
    text(summary),
    '.PP',
    `.B ${escaped(`toolwharf ${usage}`)}`,
    ...options.flatMap(optionLines),
    '.PP',
    'Examples:',
    ...examples.flatMap(({ line, text: about }) => tagged(`\\fB${escaped(line)}\\fR`, about)),
  ];
}

function optionLines({ name, short, value, text: about }: Option): string[] {
  const flags = [...(short === undefined ? [] : [`\\fB\\-${short}\\fR`]), `\\fB\\-\\-${escaped(name)}\\fR`];
  return tagged(`${flags.join(', ')}${value === undefined ? '' : ` \\fI${escaped(value)}\\fR`}`, about);
}

function tagged(tag: string, about: string): string[] {
  return ['.TP', tag, text(about)];
}

function text(words: string): string {
  return guarded(escaped(words));
}

/** Backslashes, and hyphens that people copy, have escapes. */
function escaped(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '\\[u2026]')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti');
}

/** A line that starts with a dot is a request to roff. */
function guarded(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}
