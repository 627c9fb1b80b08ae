import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { HookHandler } from '../call/hooks.js';
import type { CallScan } from '../call/secret-scanner.js';
import type { ComparedUpstream } from './compared-upstream.js';
import type { ProgramAnnouncement } from './upstream-tools.js';

/** Runs work with a program of the package, and the scan for what it gets and says. */
type WithProgram = <T>(
  program: string,
  work: (
    scan: CallScan,
    use: <R>(work: (upstream: ComparedUpstream) => Promise<R>) => Promise<R>,
  ) => Promise<T>,
) => Promise<T>;

/** The hooks of a package: declared by its manifest, announced by its program, and accepted by the operator. */
export function upstreamHooks(
  pkg: Package,
  known: ReadonlyMap<string, ProgramAnnouncement>,
  withProgram: WithProgram,
): readonly HookHandler[] {
  return pkg.hooks
    .filter((it) => known.get(it.program)?.agreed.hooks.includes(it.point) === true)
    .map(({ point, program, priority }) => ({
      package: pkg.id,
      point,
      priority,
      handle: (event, deadline) =>
        withProgram(program, async (scan, use) => {
          // Cleaned in both directions: the extension must not see secrets of others, nor pass on its own.
          const cleanEvent = (await scan.clean(event)).value as JsonObject;
          return (await scan.clean(await use((it) => it.hook(point, cleanEvent, deadline)))).value;
        }),
    }));
}
