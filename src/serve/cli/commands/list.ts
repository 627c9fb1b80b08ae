import { relative } from 'node:path';
import type { PackageReport } from '../../../host/host.js';
import { printPackages } from '../../print/packages.js';
import { withHost } from '../attach.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { sessionFor } from '../session-options.js';
import { styleFor } from '../style-for.js';

export const list: Command = {
  name: 'list',
  summary: 'Show packages with their state, and why some are not ready.',
  usage: 'list [DIR…] [options]',
  examples: [
    { line: 'toolport list', text: 'everything below this folder' },
    { line: 'toolport list tools ~/more-tools', text: 'two places' },
    { line: 'toolport list --json', text: 'for a script' },
  ],
  options: sessionOptions,
  async run(args, terminal) {
    const wanted = await sessionFor(args, terminal, args.positionals);
    const report = await withHost(args, terminal, async (host) => {
      const session = await host.session(wanted);
      return session.packages();
    });
    if (args.has('json')) terminal.out(`${JSON.stringify(listDocument(report, terminal.cwd))}\n`);
    else terminal.out(printPackages(report, styleFor(args, terminal), terminal.columns));
    return 0;
  },
};

export function listDocument(report: PackageReport, cwd: string) {
  return {
    schema: 'toolport/list@1',
    packages: report.packages.map(({ id, version, format, path, state, reasons, sandbox, tools }) => ({
      id,
      version,
      format,
      path: relative(cwd, path) || path,
      state,
      reasons,
      sandbox,
      tools,
    })),
    summary: report.summary,
  };
}
