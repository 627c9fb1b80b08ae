import { diagnosticCodesOf } from '../../../formats/diagnostic-codes.js';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { suggest } from '../../../formats/suggest.js';
import { HostError, type HostErrorCode, hostErrorCodes } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import type { Arguments, Command } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

export function explainCommand(formats: readonly FormatDescriptor[]): Command {
  return {
    name: 'explain',
    summary: 'Explain a diagnostic or error code: what it means and why it matters.',
    usage: 'explain CODE',
    examples: [
      { line: 'toolwharf explain schema.required', text: 'a code in brackets, as validate shows it' },
      { line: 'toolwharf explain timeout', text: 'an error code, as --json shows it' },
      { line: 'toolwharf explain field.near-miss --json', text: 'print JSON for a script' },
      { line: 'toolwharf explain', text: 'list all codes' },
    ],
    options: [],
    async run(args, terminal) {
      const [code, ...more] = args.positionals;
      const codes = diagnosticCodesOf(formats);
      const known = [...Object.keys(codes), ...hostErrorCodes];
      if (more.length > 0) throw new HostError('usage', 'name one code');
      if (code === undefined) {
        const list = [
          ...Object.entries(codes).map(([it, severity]) => ({ code: it, severity })),
          ...hostErrorCodes.map((it) => ({ code: it, severity: 'error' })),
        ];
        terminal.out(
          args.has('json')
            ? `${JSON.stringify({ schema: 'toolwharf/codes@1', codes: list })}\n`
            : `${known.join('\n')}\n`,
        );
        return 0;
      }
      if (isErrorCode(code)) return explainError(code, args, terminal);
      const entry = entryOf(terminal.readFile(terminal.resource('docs/diagnostics.md')) ?? '', code);
      if (!known.includes(code) || entry === undefined) {
        const meant = suggest(code, known);
        throw new HostError('not_found', `unknown code ${JSON.stringify(code)}`, {
          hint: meant === undefined ? '"toolwharf explain" lists all codes' : `did you mean ${meant}?`,
        });
      }
      terminal.out(
        args.has('json')
          ? `${JSON.stringify({ schema: 'toolwharf/explain@1', code, severity: codes[code], text: entry })}\n`
          : `${code}\n\n${plain(entry)}\n`,
      );
      return 0;
    },
  };
}

function isErrorCode(code: string): code is HostErrorCode {
  return hostErrorCodes.some((it) => it === code);
}

/** docs/errors.md has one row for each code; its last cell is the meaning. */
function explainError(code: HostErrorCode, args: Arguments, terminal: Terminal): number {
  const rows = (terminal.readFile(terminal.resource('docs/errors.md')) ?? '').split('\n');
  const cells = rows.find((it) => it.startsWith(`| \`${code}\``))?.split('|') ?? [];
  const text = (cells[3] ?? '').trim();
  const { exit, http } = errorTable[code];
  terminal.out(
    args.has('json')
      ? `${JSON.stringify({ schema: 'toolwharf/explain@1', code, severity: 'error', exit, http, text })}\n`
      : `${code}\n\nerror. ${plain(text)}\n\nExit code of the command: ${exit}. HTTP status: ${http}.\n`,
  );
  return 0;
}

/** The text below the heading of a code, up to the next heading. */
function entryOf(document: string, code: string): string | undefined {
  const start = document.indexOf(`\n## \`${code}\`\n`);
  if (start === -1) return undefined;
  const from = document.indexOf('\n', start + 1) + 1;
  const end = document.slice(from).search(/^#{1,2} /m);
  return (end === -1 ? document.slice(from) : document.slice(from, from + end)).trim();
}

/** Markdown for a terminal: examples are indented, formatting marks are removed. */
function plain(markdown: string): string {
  let fenced = false;
  return markdown
    .split('\n')
    .flatMap((line) => {
      if (/^(~~~|```)/.test(line)) {
        fenced = !fenced;
        return [];
      }
      return [fenced ? `    ${line}` : line.replace(/^\*(\w+)\.\*/, '$1.').replaceAll('`', '')];
    })
    .join('\n');
}
