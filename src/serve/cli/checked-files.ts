import { resolve } from 'node:path';
import { type DiscoverOptions, discover } from '../../bundle/discover.js';
import { inspect } from '../../formats/inspect.js';
import { makeDiagnostic } from '../../formats/report.js';
import { compareDiagnostics, type Diagnostic, startOfFile } from '../../model/diagnostic.js';
import type { ParseOptions } from '../../model/format.js';
import { HostError } from '../../model/host-error.js';
import type { Package } from '../../model/package.js';
import { countOf, printDiagnostics, printSummary } from '../print/diagnostics.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';
import { terminalStyle } from './terminal/terminal-style.js';

/** One manifest with its findings. */
export interface CheckedFile {
  readonly file: string;
  /** Absolute path of the manifest; absent for a problem that belongs to no package. */
  readonly path?: string;
  readonly format: string | null;
  readonly package?: Package;
  readonly diagnostics: readonly Diagnostic[];
}

export interface CheckedFiles {
  readonly files: readonly CheckedFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds and checks manifests, without running anything. */
export async function checkFiles(
  { paths, ...search }: DiscoverOptions & { readonly paths: readonly string[] },
  strict: boolean,
  options: ParseOptions,
): Promise<CheckedFiles> {
  const { found, problems, missing } = discover(paths, search);
  const [firstMissing] = missing;
  if (firstMissing !== undefined && missing.length === paths.length) {
    throw new HostError('not_found', `no such file or folder: ${firstMissing}`, { hint: 'check the path' });
  }
  if (found.length + problems.length + missing.length === 0) {
    throw new HostError('not_found', `no manifest found in ${paths.join(', ')}`, {
      hint: 'name a manifest, or create one: toolwharf init patch',
    });
  }
  const severity = (it: Diagnostic): Diagnostic =>
    strict && it.severity === 'warning' ? { ...it, severity: 'error' } : it;
  const files: CheckedFile[] = [];
  for (const { file, path, format, bundle } of found) {
    const { package: pkg, diagnostics } = inspect(await format.load(), bundle, options);
    files.push({
      file,
      path,
      format: format.name,
      diagnostics: diagnostics.map(severity),
      ...(pkg === undefined ? {} : { package: pkg }),
    });
  }
  const missingProblems = missing.map((it) =>
    makeDiagnostic('file.missing', it, startOfFile, 'no such file or folder', 'check the path'),
  );
  for (const problem of [...problems, ...missingProblems])
    files.push({ file: problem.file, format: null, diagnostics: [problem] });
  files.sort((a, b) => (a.file < b.file ? -1 : 1));
  return { files, diagnostics: files.flatMap((it) => it.diagnostics).sort(compareDiagnostics) };
}

/** Prints the findings as `validate` does. */
export function printChecked(
  { files, diagnostics }: CheckedFiles,
  args: Arguments,
  terminal: Terminal,
): void {
  const style = terminalStyle(args, terminal);
  const shown = args.has('quiet') ? diagnostics.filter((it) => it.severity === 'error') : diagnostics;
  const source = (file: string) => terminal.readFile(resolve(terminal.cwd, file));
  if (shown.length > 0)
    terminal.out(`${printDiagnostics(shown, { style, columns: terminal.columns, source })}\n`);
  const counts = {
    files: files.length,
    errors: countOf(diagnostics, 'error'),
    warnings: countOf(diagnostics, 'warning'),
  };
  if (!args.has('quiet')) terminal.out(`${printSummary(counts, style)}\n`);
}
