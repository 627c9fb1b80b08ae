import { resolve } from 'node:path';
import { suggest } from '../../../formats/suggest.js';
import type { PackageState } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printDiagnostics } from '../../print/diagnostics.js';
import { printPackage, printPackageState } from '../../print/package.js';
import type { Command } from '../command/command.js';
import { dirOption, sessionOptions } from '../config/config.js';
import { sessionFor } from '../config/session-options.js';
import { isPackagePath } from '../package-path.js';
import { showRegistryPackage } from '../registry/registry-info.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { lookAtHost } from '../with-host.js';

export const info: Command = {
  name: 'info',
  summary: 'Show what a package does, what it may access and what it asks for.',
  usage: 'info PATH|PACKAGE|registry:NAME [options]',
  examples: [
    { line: 'toolwharf info ./word_count.py', text: 'a package in a file' },
    { line: 'toolwharf info weather --dir tools', text: 'a package in a folder, by its id' },
    { line: 'toolwharf info registry:acme/weather', text: 'the versions of a package in a registry' },
    { line: 'toolwharf info ./weather --json', text: 'print everything as JSON for a script' },
  ],
  options: [dirOption, ...sessionOptions],
  async run(args, terminal) {
    const [name, ...more] = args.positionals;
    if (name === undefined || more.length > 0)
      throw new HostError('usage', 'name one package', { hint: 'see "toolwharf info --help"' });
    if (/^registry:/i.test(name)) return showRegistryPackage(name, args, terminal);
    const isPath = isPackagePath(name, terminal);
    const options = await sessionFor(args, terminal, isPath ? [name] : args.values('dir'));
    const report = await lookAtHost(args, terminal, async (host) => {
      const session = await host.session({ ...options, intent: 'look', set: null });
      return session.packages();
    });
    const found = isPath ? report.packages : report.packages.filter((it) => it.id === name);
    if (found.length === 0) {
      const all = [...new Set(report.packages.flatMap((it) => it.id ?? []))];
      const meant = suggest(name, all);
      const ids = all.length <= 8 ? all : [...all.slice(0, 8), '…'];
      throw new HostError('not_found', `no package named ${name}`, {
        hint:
          meant !== undefined
            ? `did you mean ${meant}?`
            : ids.length === 0
              ? 'no packages found here; name its path'
              : `packages here: ${ids.join(', ')}`,
      });
    }
    const style = terminalStyle(args, terminal);
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
          : `${printPackage(it.package, it.tools, style, columns)}\n${printPackageState(it, style, columns)}`,
      );
      terminal.out(texts.join('\n'));
    }
    return found.some((it) => it.state === 'broken') ? 3 : 0;
  },
};

function toDocument({ package: pkg, state, reasons, sandbox, narrowed, path, diagnostics }: PackageState) {
  return {
    schema: 'toolwharf/info@1',
    ...(pkg === undefined ? {} : { package: pkg }),
    path,
    state,
    reasons,
    sandbox,
    ...(narrowed === undefined ? {} : { narrowed }),
    ...(pkg === undefined ? { diagnostics } : {}),
  };
}
