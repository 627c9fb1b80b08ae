import { pad } from '../print/width.js';
import { type Command, commonOptions, type Option } from './command.js';

/** Examples first: most readers want one to copy. */
export function commandHelp(command: Command): string {
  const lines = [command.summary, '', 'Examples'];
  const widest = Math.max(...command.examples.map((it) => it.line.length));
  for (const { line, text } of command.examples) lines.push(`  ${pad(line, Math.min(widest, 56))}  ${text}`);
  lines.push('', 'Usage', `  toolport ${command.usage}`);
  if (command.options.length > 0) lines.push('', 'Options', ...command.options.map(optionLine));
  lines.push('', 'Everywhere', ...commonOptions.map(optionLine));
  return `${lines.join('\n')}\n`;
}

function optionLine(option: Option): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const name = `${short}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
  return `  ${pad(name, Math.max(26, name.length + 2))}${option.text}`;
}

export interface Topic {
  readonly name: string;
  readonly summary: string;
}

export function mainHelp(commands: readonly Topic[]): string {
  return `Toolport: one trusted host for agent tools

Examples
  toolport validate ./tools                        check every manifest in a folder
  toolport call ./word_count.py '{"text":"a b"}'   run one tool, confined
  toolport mcp ./tools                             serve a folder to an MCP client

Commands
${commands.map((it) => `  ${pad(it.name, 12)}${it.summary}`).join('\n')}

More
  toolport COMMAND --help      examples and options of a command
  toolport help exit-codes     what the exit codes mean
  toolport --version           the version
`;
}

export const exitCodes = `Exit codes
  0    done
  1    failed
  2    wrong usage, or nothing found at a path
  3    an invalid manifest (also one that cannot be read)
  4    a secret, setting or sign-in is missing
  5    approval is needed, or policy, a guardrail, a limit or the kill switch says no
  6    something is not what it was when it was checked
  7    the sandbox, a runtime or a needed program is not available
  8    out of time
  130  interrupted; 143 terminated
`;
