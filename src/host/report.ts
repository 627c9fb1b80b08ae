import type { Sandbox, Verdict } from '../sandbox/sandbox.js';
import type { LoadedFolder } from './catalog.js';
import type { PackageReport, PackageState, PackageStateName, ProgramState } from './host.js';
import type { Judged, PackageStatus } from './readiness.js';
import { sandboxLevel } from './sandbox-level.js';
import type { ServedTool } from './tool.js';

/** Everything that was found, with its state. Nothing is left out: what cannot be used says why. */
export function reportOf(
  judged: readonly Judged[],
  standings: ReadonlyMap<Judged, PackageStatus>,
  served: readonly ServedTool[],
  { problems, scanned, nested }: LoadedFolder,
  verdict: Verdict,
  sandbox: Sandbox,
  programsOf: (judged: Judged) => readonly ProgramState[],
  contained: Verdict | undefined,
): PackageReport {
  const packages = judged.map((it): PackageState => {
    const { catalog, path, format, diagnostics } = it.loaded;
    const { state, reasons } = standings.get(it) ?? { state: 'broken', reasons: [] };
    const mine = served.filter((tool) => tool.judged === it);
    const running = programsOf(it);
    return {
      id: catalog?.package.id ?? null,
      version: catalog?.package.version ?? '0.0.0',
      format,
      path,
      state,
      reasons,
      sandbox: sandboxLevel(catalog?.package, { verdict, confines: sandbox.confines, contained }),
      tools: mine
        .filter((tool) => !tool.held)
        .map(({ tool, exposed }) => ({ name: tool.name, exposed, description: tool.description })),
      ...(running.length === 0 ? {} : { programs: running }),
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
