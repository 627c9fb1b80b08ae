import type { ProbeResult, Sandbox } from '../../sandbox/sandbox.js';
import type { PackageReport, PackageState, PackageStateName, ProgramState } from '../host.js';
import type { CheckedPackage, PackageStatus } from '../packages/checked-package.js';
import type { LoadResult } from '../packages/loaded-package.js';
import { sandboxLevel } from './sandbox-level.js';
import type { SessionTool } from './session-tool.js';

/** All packages with their state, also broken ones. */
export function reportOf(
  checkedPackages: readonly CheckedPackage[],
  statuses: ReadonlyMap<CheckedPackage, PackageStatus>,
  tools: readonly SessionTool[],
  { problems, scanned, nested }: LoadResult,
  sandboxProbe: ProbeResult,
  sandbox: Sandbox,
  programsOf: (checked: CheckedPackage) => readonly ProgramState[],
  containerProbe: ProbeResult | undefined,
  narrowedOf: (packageId: string) => readonly string[],
): PackageReport {
  const packages = checkedPackages.map((it): PackageState => {
    const { catalog, path, format, diagnostics } = it.loaded;
    const status: PackageStatus = statuses.get(it) ?? { state: 'broken', reasons: [] };
    const { state, reasons, nextStep, announcedChanges } = status;
    const programs = programsOf(it);
    const narrowed = catalog === undefined ? [] : narrowedOf(catalog.package.id);
    return {
      id: catalog?.package.id ?? null,
      version: catalog?.package.version ?? '0.0.0',
      format,
      path,
      state,
      reasons: [...reasons, ...setProblems(tools, it)],
      ...(nextStep === undefined ? {} : { nextStep }),
      ...(announcedChanges === undefined ? {} : { announcedChanges }),
      sandbox: sandboxLevel(catalog?.package, {
        sandbox: sandboxProbe,
        confines: sandbox.isolates,
        containers: containerProbe,
      }),
      tools: tools
        .filter(({ checked, needsReview, view: { problem } }) => {
          return checked === it && !needsReview && problem === undefined;
        })
        .map(({ exposed, view: { shown } }) => ({
          name: shown.name,
          exposed,
          description: shown.description,
        })),
      ...(narrowed.length === 0 ? {} : { narrowed }),
      ...(programs.length === 0 ? {} : { programs }),
      ...(catalog === undefined ? {} : { package: catalog.package, digest: catalog.digest }),
      diagnostics,
    };
  });
  const broken = problems.map((it): PackageState => {
    const base = { id: null, version: '0.0.0', format: 'unknown', tools: [], diagnostics: [it] };
    return { ...base, path: it.file, state: 'broken', reasons: [it.message], sandbox: 'none' };
  });
  const all = [...packages, ...broken];
  const count = (state: PackageStateName) => all.filter((it) => it.state === state).length;
  return {
    packages: all,
    summary: {
      scanned,
      found: all.length,
      nested,
      invalid: count('broken'),
      disabled: count('disabled'),
      unavailable: count('unavailable'),
    },
  };
}

/** Tools that the set of the session cannot show as they are now. */
function setProblems(tools: readonly SessionTool[], checked: CheckedPackage): string[] {
  return tools.flatMap((it) => (it.checked === checked ? (it.view.problem ?? []) : []));
}
