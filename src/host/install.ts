import type { KillSubject } from '../model/kill.js';
import { platformSignal } from '../net/platform-signal.js';
import type { ChangeStep, InstallOptions } from './host.js';
import { installImage, type RegistryReach } from './images.js';
import type { ProgramNeed } from './runtimes.js';
import type { SessionServices } from './session-services.js';

/** Fetches what programs need, one after the other. Installing runs programs, so it can be stopped like a call. */
export async function installAll(
  needs: readonly ProgramNeed[],
  who: KillSubject,
  machinery: Pick<SessionServices, 'kills' | 'running' | 'environments' | 'containers' | 'agreements'>,
  reach: RegistryReach,
  { signal, onStep, dryRun = false }: InstallOptions,
): Promise<ChangeStep[]> {
  const { kills, running, environments } = machinery;
  const sources = { ...machinery, ...reach };
  const steps: ChangeStep[] = [];
  const run = running.enter(who, signal);
  const stop = platformSignal(run.signal);
  try {
    kills.assertAlive(who);
    for (const { packages, image } of needs) {
      if (image !== undefined)
        steps.push(await installImage(image, who, sources, { signal: stop, onStep, dryRun }));
      if (packages === null) continue;
      const name = packages.language === 'python' ? 'Python packages' : 'npm packages';
      const there = environments.find(packages) !== undefined;
      if (!there && dryRun) {
        steps.push({ name, status: 'needed' });
        continue;
      }
      if (!there) await environments.prepare(packages, { signal: stop, onStep });
      steps.push({ name, status: there ? 'there already' : 'done' });
    }
    return steps;
  } catch (error) {
    throw run.stopped ?? error;
  } finally {
    run.leave();
  }
}
