import type { JsonObject } from '../../model/json.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { wrap } from './width.js';

export type CaseStatus = 'passed' | 'failed' | 'updated' | 'skipped';

/** One case, as it is printed. */
export interface ReportedCase {
  readonly name: string;
  readonly tool: string;
  readonly file: string;
  readonly line: number;
  readonly status: CaseStatus;
  readonly reasons: readonly string[];
  readonly durationMs: number;
}

/** One package with its cases. */
export interface ReportedPackage {
  readonly id: string;
  readonly file: string;
  /** Why none of its cases could run; empty if they ran. */
  readonly unavailable: readonly string[];
  readonly cases: readonly ReportedCase[];
}

export type TestSummary = Readonly<Record<CaseStatus, number>> & { readonly unavailable: number };

export function summaryOf(packages: readonly ReportedPackage[]): TestSummary {
  const count = (status: CaseStatus) =>
    packages.flatMap((it) => it.cases).filter((it) => it.status === status).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    updated: count('updated'),
    skipped: count('skipped'),
    unavailable: packages.filter((it) => it.unavailable.length > 0).length,
  };
}

const words: Record<CaseStatus, string> = {
  passed: 'ok     ',
  failed: 'FAILED ',
  updated: 'updated',
  skipped: 'skipped',
};
const paints = { passed: 'good', failed: 'error', updated: 'warning', skipped: 'dim' } as const;

/** For people: one line per case, with the reasons of failures below. */
export function printTestReport(packages: readonly ReportedPackage[], style: Style, columns: number): string {
  const room = Math.max(20, columns - 6);
  const indented = (text: string) => wrap(visibleLine(text), room).map((line) => `      ${line}`);
  const lines = packages.flatMap(({ id, file, unavailable, cases }) => [
    `${style.bold(visibleLine(id))}  ${style.dim(visibleLine(file))}`,
    ...unavailable.flatMap((it, at) => [
      ...(at === 0 ? [`  ${style.error('cannot run')}`] : []),
      ...indented(it),
    ]),
    ...cases.flatMap((it) => [
      `  ${style[paints[it.status]](words[it.status])} ${visibleLine(it.name)}`,
      ...it.reasons.flatMap(indented),
    ]),
  ]);
  return `${[...lines, summaryLine(packages)].join('\n')}\n`;
}

function summaryLine(packages: readonly ReportedPackage[]): string {
  const { passed, failed, updated, skipped, unavailable } = summaryOf(packages);
  return [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(updated > 0 ? [`${updated} updated`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(unavailable > 0 ? [`${unavailable === 1 ? '1 package' : `${unavailable} packages`} cannot run`] : []),
  ].join(', ');
}

/** As JSON, schema `toolwharf/test@1`. */
export function testDocument(packages: readonly ReportedPackage[]): JsonObject {
  return {
    schema: 'toolwharf/test@1',
    packages: packages.map(({ id, file, unavailable, cases }) => ({
      ...{ package: id, file, unavailable },
      cases: cases.map((it) => ({ ...it })),
    })),
    summary: { ...summaryOf(packages) },
  };
}

/** JUnit XML: one suite per package. A package that cannot run is a suite with one error. */
export function toJunit(packages: readonly ReportedPackage[]): string {
  const suites = packages.map(({ id, file, unavailable, cases }) => {
    const rows = cases.map(
      (it) =>
        `    <testcase classname="${xml(id)}" name="${xml(it.name)}" file="${xml(it.file)}" line="${it.line}" time="${(it.durationMs / 1000).toFixed(3)}"${contentOf(it)}\n`,
    );
    const broken =
      unavailable.length === 0
        ? []
        : [
            `    <testcase classname="${xml(id)}" name="it can run" file="${xml(file)}">\n      <error message="${xml(unavailable.join('; '))}"/>\n    </testcase>\n`,
          ];
    const count = (status: CaseStatus) => cases.filter((it) => it.status === status).length;
    const counts = `tests="${cases.length + broken.length}" failures="${count('failed')}" errors="${broken.length}" skipped="${count('skipped')}"`;
    return `  <testsuite name="${xml(id)}" ${counts}>\n${[...broken, ...rows].join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function contentOf({ status, reasons }: ReportedCase): string {
  const text = xml(reasons.join('\n'));
  if (status === 'failed')
    return `>\n      <failure message="${xml(reasons[0] ?? 'failed')}">${text}</failure>\n    </testcase>`;
  return status === 'skipped' ? `>\n      <skipped message="${text}"/>\n    </testcase>` : '/>';
}

/** Characters that XML cannot contain are left out. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
