import { relative } from 'node:path';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { defaultParseOptions } from '../../../formats/inspect.js';
import type { PackageState } from '../../../host/host.js';
import { type Diagnostic, startOfFile } from '../../../model/diagnostic.js';
import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { toGithub } from '../../print/github.js';
import {
  printTestReport,
  type ReportedCase,
  type ReportedPackage,
  summaryOf,
  testDocument,
  toJunit,
} from '../../print/test-report.js';
import { type CheckedFiles, checkFiles, printChecked } from '../checked-files.js';
import { parseDuration } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { type AuthorHost, authorOptions, authorPaths, openAuthorHost } from '../development/author-host.js';
import { askedValues, audienceFor, setAuthorValue, valuesNamed } from '../development/author-values.js';
import { environmentValues, fromEnvironmentOption } from '../development/environment-values.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { type CaseResult, runCase } from '../testing/case-run.js';
import { type CasesFile, casesPath, readCases, updateCases, workspaceFiles } from '../testing/cases-file.js';
import { type TestCase, testCases } from '../testing/test-case.js';
import { TestFolders } from '../testing/test-workspace.js';

const outputFormats = ['text', 'json', 'junit', 'github'] as const;
type OutputFormat = (typeof outputFormats)[number];

export function testCommand(formats: readonly FormatDescriptor[]): Command {
  return {
    name: 'test',
    summary: "Run the examples of a package's manifest and its saved cases, and compare the answers.",
    usage: 'test [PATH…] [--update] [options]',
    examples: [
      { line: 'toolwharf test ./weather', text: 'run all cases of a package' },
      { line: 'toolwharf test ./weather --update', text: 'save the answers as the expected ones' },
      { line: 'toolwharf test tools --format junit > junit.xml', text: 'a report for a build server' },
      {
        line: 'toolwharf test ./weather --from-env WEATHER_API_KEY --allow net:api.example.com',
        text: 'with a value from the environment, and a host that the tool may reach',
      },
    ],
    options: [
      { name: 'update', text: 'save the answers of cases that differ or have none' },
      { name: 'format', value: 'FORM', text: 'output format: text, json, junit or github (default: text)' },
      { name: 'only', value: 'TEXT', text: 'run only cases whose name contains TEXT' },
      fromEnvironmentOption,
      { name: 'install', text: 'first install the language packages and images that are missing' },
      { name: 'approve-destructive', text: 'let cases approve calls of destructive tools' },
      { name: 'timeout', value: 'TIME', text: 'stop each call after TIME, such as 500ms, 2s or 5m' },
      ...authorOptions,
    ],
    async run(args, terminal) {
      const format = formatOf(args);
      const paths = authorPaths('test', args, terminal);
      const checked = await checkFiles({ paths, cwd: terminal.cwd, formats }, false, {
        ...defaultParseOptions,
        agentVersion: args.value('agent-version') ?? defaultParseOptions.agentVersion,
      });
      const errors = checked.diagnostics.filter((it) => it.severity === 'error');
      if (format === 'text' && errors.length > 0) printChecked(checked, args, terminal);
      const cases = casesOf(checked, args, terminal);
      if (cases.every((it) => it.cases.length === 0) && errors.length === 0)
        throw new HostError('not_found', 'there are no examples and no saved cases to run', {
          hint: 'save a case with "save" in "toolwharf dev", or write toolwharf-tests/PACKAGE.json (docs/commands.md)',
        });
      const packages = await runAll(
        cases.filter((it) => it.cases.length > 0),
        paths,
        args,
        terminal,
      );
      output(format, [...invalidPackages(checked), ...packages], errors, args, terminal);
      return exitOf(errors.length, packages);
    },
  };
}

/** A package with the cases to run. */
interface TestedPackage {
  readonly path: string;
  readonly file: string;
  readonly id: string;
  readonly saved: CasesFile | undefined;
  readonly cases: readonly TestCase[];
}

function casesOf({ files }: CheckedFiles, args: Arguments, terminal: Terminal): readonly TestedPackage[] {
  const only = args.value('only') ?? '';
  return files.flatMap(({ file, path, package: pkg }) => {
    if (pkg === undefined || path === undefined) return [];
    const saved = readCases(casesPath(path, pkg.id), terminal);
    const cases = testCases(pkg, path, saved).filter((it) => it.name.includes(only));
    return [{ ...{ path, file, saved, cases }, id: pkg.id }];
  });
}

/** All packages run on one host, which exists only for this command. */
async function runAll(
  tested: readonly TestedPackage[],
  paths: readonly string[],
  args: Arguments,
  terminal: Terminal,
): Promise<readonly ReportedPackage[]> {
  if (tested.length === 0) return [];
  const folders = new TestFolders();
  try {
    const author = await openAuthorHost(paths, args, terminal, {
      ...{ state: folders.state, root: folders.workspace, singleCommand: true },
    });
    try {
      await setValues(tested, author, args, terminal);
      const reported: ReportedPackage[] = [];
      for (const it of tested) reported.push(await runPackage(it, author, folders, args, terminal));
      return reported;
    } finally {
      await author.host.close();
    }
  } finally {
    folders.remove();
  }
}

/** Values come from the cases and from the environment variables that the author names; never from the operator. */
async function setValues(
  tested: readonly TestedPackage[],
  { host, session }: AuthorHost,
  args: Arguments,
  terminal: Terminal,
): Promise<void> {
  const asked = await askedValues(session);
  for (const { id, saved } of tested) {
    const own = asked.filter((it) => it.package.id === id);
    for (const [name, { value, hosts }] of saved?.values ?? [])
      for (const it of valuesNamed(name, own))
        await setAuthorValue(it, value, audienceFor(hosts), host, terminal);
  }
  for (const { name, value } of environmentValues(args, terminal))
    for (const it of valuesNamed(name, asked))
      await setAuthorValue(it, value, audienceFor([]), host, terminal);
}

async function runPackage(
  { path, file, id, saved, cases }: TestedPackage,
  { host, session }: AuthorHost,
  folders: TestFolders,
  args: Arguments,
  terminal: Terminal,
): Promise<ReportedPackage> {
  if (args.has('install')) await session.install(id, { signal: terminal.signal });
  const { packages } = await session.packages();
  const state = packages.find((it) => it.path === path);
  const base = { id, file: relative(terminal.cwd, path) || file };
  if (state?.package === undefined || state.state !== 'ready')
    return { ...base, unavailable: whyNot(state), cases: [] };
  const timeout = args.value('timeout');
  const context = {
    ...{ host, session, package: state.package, principal: terminal.principal, signal: terminal.signal },
    timeoutMs: timeout === undefined ? undefined : parseDuration(timeout, 'timeout'),
    update: args.has('update'),
    approveDestructive: args.has('approve-destructive'),
  };
  const results: CaseResult[] = [];
  for (const test of cases) {
    folders.reset(workspaceFiles(path));
    results.push(await runCase(test, context));
    if (terminal.signal.aborted) throw new HostError('canceled', 'interrupted');
  }
  saveUpdates(saved, results);
  return { ...base, unavailable: [], cases: results.map((it) => reportedCase(it, terminal)) };
}

function whyNot(state: PackageState | undefined): readonly string[] {
  if (state === undefined) return ['the host did not find it again'];
  return [
    `${state.state}: ${state.reasons.join('; ')}`,
    ...(state.state === 'needs-setup' ? [setupHint] : []),
  ];
}

const setupHint =
  'in a test, values come from "values" of the cases file or --from-env NAME, and --install installs packages';

function saveUpdates(saved: CasesFile | undefined, results: readonly CaseResult[]): void {
  const outcomes = new Map(
    results.flatMap(({ test: { index }, outcome }) =>
      index === undefined || outcome === undefined ? [] : [[index, outcome] as const],
    ),
  );
  if (saved !== undefined && outcomes.size > 0) updateCases(saved, outcomes);
}

function reportedCase({ test, status, reasons, durationMs }: CaseResult, { cwd }: Terminal): ReportedCase {
  const { name, tool, file, line } = test;
  return { ...{ name, tool, line, status, reasons, durationMs }, file: relative(cwd, file) };
}

/** For reports that have no other place for a broken manifest. */
function invalidPackages({ files }: CheckedFiles): readonly ReportedPackage[] {
  return files.flatMap(({ file, diagnostics }) => {
    const errors = diagnostics.filter((it) => it.severity === 'error');
    if (errors.length === 0) return [];
    const unavailable = errors.map((it) => `${it.file}:${it.range.line}: ${it.message}`);
    return [{ id: file, file, unavailable, cases: [] }];
  });
}

function output(
  format: OutputFormat,
  packages: readonly ReportedPackage[],
  errors: readonly Diagnostic[],
  args: Arguments,
  terminal: Terminal,
): void {
  switch (format) {
    case 'json':
      terminal.out(`${JSON.stringify(testDocument(packages))}\n`);
      break;
    case 'junit':
      terminal.out(toJunit(packages));
      break;
    case 'github':
      terminal.out(toGithub([...errors, ...packages.flatMap(annotations)]));
      break;
    case 'text': {
      // Broken manifests are printed above.
      const shown = packages.filter((it) => !errors.some((error) => error.file === it.file));
      if (shown.length > 0)
        terminal.out(printTestReport(shown, terminalStyle(args, terminal), terminal.columns));
    }
  }
}

function annotations({ file, unavailable, cases }: ReportedPackage): readonly Diagnostic[] {
  const at = (line: number) => ({ ...startOfFile, line, endLine: line });
  return [
    ...unavailable.map((message) => ({
      ...{ code: 'toolwharf test', severity: 'error' as const, file, message, range: startOfFile },
    })),
    ...cases
      .filter((it) => it.status === 'failed')
      .map((it) => ({
        ...{ code: 'toolwharf test', severity: 'error' as const, file: it.file, range: at(it.line) },
        message: [it.name, ...it.reasons].join('\n'),
      })),
  ];
}

function exitOf(errors: number, packages: readonly ReportedPackage[]): number {
  const { failed, unavailable } = summaryOf(packages);
  if (errors > 0) return errorTable.invalid_manifest.exit;
  if (unavailable > 0) return errorTable.runtime_missing.exit;
  return failed > 0 ? 1 : 0;
}

function formatOf(args: Arguments): OutputFormat {
  if (args.has('json')) return 'json';
  const value = args.value('format') ?? 'text';
  if ((outputFormats as readonly string[]).includes(value)) return value as OutputFormat;
  throw new HostError('usage', `unknown value for --format: ${JSON.stringify(value)}`, {
    hint: `use ${outputFormats.join(', ')}`,
  });
}
