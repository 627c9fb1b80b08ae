import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredGeneration } from '../../store/installations.js';
import { usesInstallMethod } from '../packages/program-needs.js';
import type { InstallCandidate } from './candidate.js';
import type { LifecycleServices, LifecycleSession } from './lifecycle-services.js';
import { usedRuntimes } from './locked-runtimes.js';
import { narrowingWarnings } from './narrowing-warnings.js';
import type { PlanFacts } from './plan.js';

/** What a plan says about this machine. Starts nothing: the session only looks. */
export async function planFacts(
  candidate: InstallCandidate,
  current: StoredGeneration | undefined,
  session: LifecycleSession,
  { vault, agreements, store, rows, narrowings }: LifecycleServices,
): Promise<PlanFacts> {
  const { package: pkg } = candidate.catalog;
  const trial = await session.open(candidate.place, 'look', { hasDigests: true });
  try {
    const report = await trial.session.packages();
    const state = report.packages.find((it) => it.id === pkg.id);
    const isBlocked = state?.state === 'unavailable' || state?.state === 'broken';
    const stored = (await vault.list()).filter((it) => it.package === pkg.id).map((it) => it.slot);
    const others = current === undefined ? await agreements.manifestsOf(pkg.id) : [];
    const generations = current === undefined ? [] : await rows.generations(pkg.id);
    const { digest } = candidate.catalog;
    return {
      failed: generations.filter((it) => it.trial?.state === 'failed' && it.digest === digest).at(-1),
      current,
      isServed: (await rows.get(pkg.id))?.state === 'active',
      sandbox: state?.sandbox ?? 'none',
      blockers: isBlocked ? state.reasons : [],
      filled: new Set(stored),
      runtimes: usedRuntimes(candidate.declared, pkg, session.sources),
      dependencies: dependenciesOf(candidate),
      warnings: [
        ...(others.length > 0
          ? [`values and files are stored for ${pkg.id} from ${others.join(', ')}; it would inherit them`]
          : []),
        ...narrowingWarnings(pkg, narrowings.of(pkg.id)),
      ],
      files: { tree: candidate.tree, ...measure(store.path(candidate.tree)) },
    };
  } finally {
    await trial.close();
  }
}

function dependenciesOf({ catalog: { package: pkg }, loaded, lock }: InstallCandidate): string[] {
  const { programs } = pkg;
  // What is in the bundle is not fetched, even if a registry has it too.
  const install = usesInstallMethod(loaded) ? pkg.install : ({ kind: 'bundled' } as const);
  const packages = programs.flatMap(({ target }) =>
    target.kind === 'process' ? (target.runtime?.packages ?? []) : [],
  );
  const own =
    install.kind === 'pip' || install.kind === 'npm'
      ? [`${install.package} ${lock.version ?? install.version ?? ''} (${install.kind})`.replace('  ', ' ')]
      : install.kind === 'container'
        ? [`the image ${install.image}`]
        : [];
  return [...new Set([...packages, ...own])];
}

/** Count and total size of the files of a tree. */
function measure(root: string): { count: number; bytes: number } {
  let count = 0;
  let bytes = 0;
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    count++;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return { count, bytes };
}
