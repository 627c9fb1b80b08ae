import { resolve } from 'node:path';
import { suggest } from '../../../formats/suggest.js';
import type { PackageState } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printDiagnostics } from '../../print/diagnostics.js';
import { printPackage, printState } from '../../print/package.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { isPackagePath } from '../package-word.js';
import { sessionFor } from '../session-options.js';
import { styleFor } from '../style-for.js';

export const info: Command = {
  name: 'info',
  summary: 'Show what a package is, what it can do and what it wants, before it does anything.',
  usage: 'info PATH|PACKAGE [options]',
  examples: [
    { line: 'toolwharf info ./word_count.py', text: 'a package in a file' },
    { line: 'toolwharf info weather --dir tools', text: 'a package of a folder, by its id' },
    { line: 'toolwharf info ./weather --json', text: 'everything, for a script' },
  ],
  options: [
    { name: 'dir', value: 'DIR', multiple: true, text: 'where packages are (this folder unless told)' },
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [wanted, ...more] = args.positionals;
    if (wanted === undefined || more.length > 0)
      throw new HostError('usage', 'name one package', { hint: 'see "toolwharf info --help"' });
    const isPath = isPackagePath(wanted, terminal);
    const asked = await sessionFor(args, terminal, isPath ? [wanted] : args.values('dir'));
    const report = await withHost(args, terminal, async (host) => {
      const session = await host.session(asked);
      return session.packages();
    });
    const found = isPath ? report.packages : report.packages.filter((it) => it.id === wanted);
    if (found.length === 0) {
      const all = [...new Set(report.packages.flatMap((it) => it.id ?? []))];
      const meant = suggest(wanted, all);
      const ids = all.length <= 8 ? all : [...all.slice(0, 8), '…'];
      throw new HostError('not_found', `there is no package ${wanted}`, {
        hint:
          meant !== undefined
            ? `did you mean ${meant}?`
            : ids.length === 0
              ? 'none was found; name its path'
              : `packages here: ${ids.join(', ')}`,
      });
    }
    const style = styleFor(args, terminal);
    const columns = terminal.stdoutIsTerminal ? terminal.columns : 10_000;
    if (args.has('json')) {
      const documents = found.map(toDocument);
      terminal.out(
        `${JSON.stringify(documents.length === 1 ? documents[0] : { schema: 'toolwharf/info@1', packages: documents })}\n`,
      );
    } else {
      const source = (file: string) => terminal.readFile(resolve(terminal.cwd, file));
      const texts = found.map((it) =>
        it.package === undefined
          ? printDiagnostics(it.diagnostics, { style, columns: terminal.columns, source })
          : `${printPackage(it.package, it.tools, style, columns)}\n${printState(it, style, columns)}`,
      );
      terminal.out(texts.join('\n'));
    }
    return found.some((it) => it.state === 'broken') ? 3 : 0;
  },
};

function toDocument({ package: of, state, reasons, sandbox, path, diagnostics }: PackageState) {
  return {
    schema: 'toolwharf/info@1',
    ...(of === undefined ? {} : { package: of }),
    path,
    state,
    reasons,
    sandbox,
    ...(of === undefined ? { diagnostics } : {}),
  };
}
