import type {
  ContributionDecision,
  ContributionFinding,
  ContributionSeverity,
} from '../../model/contribution.js';
import { contributionSeverities } from '../../model/contribution.js';
import { type Diagnostic, type Range, startOfFile } from '../../model/diagnostic.js';
import { type ContributionRule, contributionRules } from './contribution-rules.js';

/** Where a finding is. */
export interface FindingPlace {
  readonly file: string;
  /** Default: the whole file. */
  readonly range?: Range;
  readonly pointer?: string | undefined;
}

/** A finding of one of our own rules, with the severity of that rule. */
export function contributionFinding(
  code: ContributionRule,
  { file, range = startOfFile, pointer }: FindingPlace,
  message: string,
  hint?: string,
): ContributionFinding {
  const { stage, severity } = contributionRules[code];
  return {
    code,
    severity,
    stage,
    message,
    file,
    range,
    ...(pointer === undefined ? {} : { pointer }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A diagnostic of the format. Errors must be fixed before anybody publishes. */
export function diagnosticFinding(it: Diagnostic, file: string): ContributionFinding {
  const severities = { error: 'reject', warning: 'warn', info: 'info' } as const;
  const isText = it.code.startsWith('text.');
  return {
    code: it.code,
    severity: it.code === 'text.lookalike' ? 'review' : severities[it.severity],
    stage: isText ? 'text' : 'manifest',
    message: it.message,
    file,
    range: it.range,
    ...(it.pointer === undefined ? {} : { pointer: it.pointer }),
    ...(it.hint === undefined ? {} : { hint: it.hint }),
  };
}

/** The strictest severity decides. */
export function decisionOf(findings: readonly ContributionFinding[]): ContributionDecision {
  const has = (severity: ContributionSeverity) => findings.some((it) => it.severity === severity);
  if (has('reject')) return 'reject';
  return has('review') ? 'review' : 'pass';
}

/** Sorted by severity, file and place, without repetitions. The order depends on nothing else. */
export function sortedFindings(findings: readonly ContributionFinding[]): ContributionFinding[] {
  const unique = new Map(
    findings.map((it) => [JSON.stringify([it.code, it.file, it.range, it.pointer, it.message]), it]),
  );
  return [...unique.values()].sort(compareFindings);
}

function compareFindings(a: ContributionFinding, b: ContributionFinding): number {
  return (
    contributionSeverities.indexOf(a.severity) - contributionSeverities.indexOf(b.severity) ||
    compare(a.file, b.file) ||
    a.range.line - b.range.line ||
    a.range.column - b.range.column ||
    compare(a.code, b.code) ||
    compare(a.pointer ?? '', b.pointer ?? '') ||
    compare(a.message, b.message)
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
