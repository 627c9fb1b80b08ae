import type { Diagnostic } from '../../model/diagnostic.js';

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands that GitHub shows beside the lines of a pull request. */
export function toGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .map((it) => {
      const { line, column, endLine, endColumn } = it.range;
      const place = `file=${property(it.file)},line=${line},col=${column},endLine=${endLine},endColumn=${endColumn}`;
      const text = it.hint === undefined ? it.message : `${it.message}\n${it.hint}`;
      return `::${commands[it.severity]} ${place},title=${property(it.code)}::${data(text)}\n`;
    })
    .join('');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
