import type { Bundle } from '../../model/bundle.js';
import type {
  ContributionFinding,
  ContributionSeverity,
  ContributionVerdict,
} from '../../model/contribution.js';
import { contributionSeverities } from '../../model/contribution.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { type DiagnosticsPrinter, printDiagnostics } from './diagnostics.js';
import { visibleLine } from './visible.js';

const headings: Record<ContributionSeverity, string> = {
  reject: 'rejected because of',
  review: 'a person must look at',
  warn: 'warnings',
  info: 'for information',
};
const severities = { reject: 'error', review: 'warning', warn: 'warning', info: 'info' } as const;

/** What `printVerdict` needs besides the verdict. */
export interface VerdictPrinter extends DiagnosticsPrinter {
  /** Leaves out information and warnings. */
  readonly isQuiet: boolean;
}

/** A verdict for people: the findings by what they mean, each as `validate` shows a problem, and a summary. */
export function printVerdict(
  verdict: ContributionVerdict,
  bundle: Pick<Bundle, 'display' | 'manifest'>,
  printer: VerdictPrinter,
): string {
  const { style } = printer;
  const shown = contributionSeverities.filter((it) => !printer.isQuiet || it === 'reject' || it === 'review');
  const sections = shown.flatMap((severity) => {
    const findings = verdict.findings.filter((it) => it.severity === severity);
    if (findings.length === 0) return [];
    // A line with a key is not repeated on a screen or in a log.
    const [secrets, rest] = [findings.filter(isSecret), findings.filter((it) => !isSecret(it))];
    const print = (list: readonly ContributionFinding[], source: DiagnosticsPrinter['source']) =>
      list.length === 0
        ? ''
        : printDiagnostics(
            list.map((it) => asDiagnostic(it, bundle)),
            { ...printer, source },
          );
    return [
      `${style.bold(`${headings[severity]}:`)}\n`,
      print(secrets, () => undefined),
      print(rest, printer.source),
    ];
  });
  return `${[...sections, summary(verdict, bundle, printer)].filter((it) => it !== '').join('\n')}`;
}

function isSecret({ code }: ContributionFinding): boolean {
  return (
    code === 'contribute.secret' || code === 'contribute.likely-secret' || code === 'contribute.key-file'
  );
}

function asDiagnostic(it: ContributionFinding, bundle: Pick<Bundle, 'display'>): Diagnostic {
  return { ...it, severity: severities[it.severity], file: bundle.display(it.file) };
}

function summary(
  { decision, findings, model, package: pkg }: ContributionVerdict,
  bundle: Pick<Bundle, 'display' | 'manifest'>,
  { style }: VerdictPrinter,
): string {
  const name = pkg === null ? bundle.display(bundle.manifest) : `${pkg.id} ${pkg.version}`;
  const count = (severity: ContributionSeverity) => findings.filter((it) => it.severity === severity).length;
  const checkedBy = model.status === 'checked' ? `; ${model.texts} texts read by ${model.model}` : '';
  const lines = {
    pass: style.good(`${name} passes the checks`),
    review: style.warning(`${name} needs a person: ${count('review')} to look at`),
    reject: style.error(`${name} is rejected: ${count('reject')} to fix`),
  };
  return `${visibleLine(lines[decision] + checkedBy)}\n`;
}
