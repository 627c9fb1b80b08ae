import { relative, resolve } from 'node:path';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import type { ContributionDecision } from '../../../model/contribution.js';
import { HostError } from '../../../model/host-error.js';
import { printVerdict } from '../../print/contribution.js';
import { printDiagnostics } from '../../print/diagnostics.js';
import {
  type CheckedContributions,
  checkContributions,
  contributionExit,
  contributionOptions,
} from '../checked-contributions.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';

/** `contribute` only checks. `publish` is the same checks, and then hands the package to a registry. */
export function contributeCommand(formats: readonly FormatDescriptor[]): Command {
  return {
    name: 'contribute',
    summary:
      'Check a package as a registry does before it publishes it. Shows every finding; publishes nothing.',
    usage: 'contribute PATH --dry-run [options]',
    examples: [
      {
        line: 'toolwharf contribute ./weather --dry-run',
        text: 'show every finding for the package in a folder',
      },
      { line: 'toolwharf contribute tool.py --dry-run --json', text: 'the verdict as data' },
      {
        line: 'toolwharf contribute ./weather --dry-run --name acme_weather --names names.txt',
        text: 'compare with the name to publish and with the names that a registry has',
      },
    ],
    options: [...contributionOptions(formats.map((it) => it.name)), dryRunOption],
    async run(args, terminal) {
      if (!isDryRun(args))
        throw new HostError('usage', 'contribute only checks', {
          hint: 'add --dry-run to see what the checks find',
        });
      const result = await checkContributions(formats, args, terminal);
      if (args.has('json')) terminal.out(`${JSON.stringify(contributionDocument(result))}\n`);
      else printResult(result, args, terminal);
      return contributionExit(result);
    },
  };
}

function contributionDocument({ checked, problems }: CheckedContributions) {
  const count = (decision: ContributionDecision) =>
    checked.filter((it) => it.verdict.decision === decision).length;
  return {
    schema: 'toolwharf/contribute@1',
    packages: checked.map(({ manifest, verdict }) => ({ file: manifest.file, ...verdict })),
    problems: problems.map(({ code, severity, message, file }) => ({ code, severity, message, file })),
    summary: {
      packages: checked.length,
      pass: count('pass'),
      review: count('review'),
      reject: count('reject'),
    },
  };
}

function printResult({ checked, problems }: CheckedContributions, args: Arguments, terminal: Terminal): void {
  const style = terminalStyle(args, terminal);
  const source = (file: string) => terminal.readFile(resolve(terminal.cwd, file));
  const printer = { style, columns: terminal.columns, source, isQuiet: args.has('quiet') };
  if (problems.length > 0) terminal.out(`${printDiagnostics(problems, printer)}\n`);
  for (const [index, { manifest, verdict }] of checked.entries()) {
    const display = (path: string) => relative('.', manifest.bundle.display(path)) || path;
    terminal.out(
      `${index === 0 ? '' : '\n'}${printVerdict(verdict, { display, manifest: manifest.bundle.manifest }, printer)}`,
    );
  }
}
