import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Answer } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { visible } from '../print/visible.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/** The path of --output. Checked before the call: an answer that cannot be saved would be lost. */
export function outputFile(args: Arguments, terminal: Terminal): string | undefined {
  const name = args.value('output');
  if (name === undefined) return undefined;
  if (args.has('json'))
    throw new HostError('usage', '--output and --json exclude each other', {
      hint: 'redirect the output of --json instead',
    });
  const file = resolve(terminal.cwd, name);
  if (existsSync(file))
    throw new HostError('usage', `${name} exists already`, { hint: 'name a file that does not exist yet' });
  return file;
}

type Succeeded = Extract<Answer, { status: 'ok' }>;

export function saveResult(answer: Succeeded, file: string, args: Arguments, terminal: Terminal): void {
  const content = resultContent(answer);
  const size = Buffer.byteLength(content);
  try {
    terminal.writeFile(file, content);
  } catch (error) {
    throw new HostError('usage', `the call succeeded, but ${file} cannot be written`, {
      cause: error,
      hint: `choose another file, or see the call with: toolwharf audit show ${answer.callId}`,
    });
  }
  if (args.has('quiet')) return;
  const type = answer.binary === undefined ? '' : `${answer.binary.mimeType}, `;
  terminal.err(`wrote ${visible(file)} (${type}${size.toLocaleString('en')} bytes)\n`);
  printNotes(answer, args, terminal);
}

/** The result as it is written to files and pipes. */
function resultContent({ result, binary }: Succeeded): string | Uint8Array {
  if (binary !== undefined) return Buffer.from(String(result), 'base64');
  return typeof result === 'string' ? `${result}\n` : `${JSON.stringify(result, null, 2)}\n`;
}

/** Prints the result. Bytes go to pipes only: a terminal would take some of them for commands. */
export function printResult(answer: Succeeded, args: Arguments, terminal: Terminal): void {
  const content = resultContent(answer);
  if (!terminal.stdoutIsTerminal) terminal.out(content);
  else if (typeof content === 'string') terminal.out(visible(content));
  else {
    const what = `${answer.binary?.mimeType ?? ''}, ${content.length.toLocaleString('en')} bytes`;
    terminal.out(`binary result (${visible(what)}), not shown. Save it with --output FILE, or use a pipe.\n`);
  }
  printNotes(answer, args, terminal);
}

function printNotes({ warnings, log }: Succeeded, args: Arguments, terminal: Terminal): void {
  if (args.has('quiet')) return;
  for (const warning of warnings) terminal.err(`warning: ${visible(warning)}\n`);
  if (log !== undefined && args.has('verbose')) terminal.err(`${visible(log)}\n`);
}
