import type { KillSubject } from '../model/kill-target.js';
import { toAbortSignal } from '../net/abort-signal.js';
import { installImage, type RegistryAccess } from './container-images.js';
import type { InstallOptions, InstallStep } from './host.js';
import type { ProgramNeed } from './program-needs.js';
import type { SessionServices } from './session-services.js';

/** Installs what programs need, one by one. It runs programs, so it can be canceled and killed like a call. */
export async function installPrograms(
  needs: readonly ProgramNeed[],
  subject: KillSubject,
  services: Pick<SessionServices, 'kills' | 'running' | 'environments' | 'containers' | 'agreements'>,
  registries: RegistryAccess,
  { signal, onStep, dryRun = false }: InstallOptions,
): Promise<InstallStep[]> {
  const { kills, running, environments } = services;
  const sources = { ...services, ...registries };
  const steps: InstallStep[] = [];
  const run = running.enter(subject, signal);
  const stop = toAbortSignal(run.signal);
  try {
    kills.assertNotKilled(subject);
    for (const { packages, image } of needs) {
      if (image !== undefined)
        steps.push(await installImage(image, subject, sources, { signal: stop, onStep, dryRun }));
      if (packages === null) continue;
      const name = packages.language === 'python' ? 'Python packages' : 'npm packages';
      const isInstalled = environments.find(packages) !== undefined;
      if (!isInstalled && dryRun) {
        steps.push({ name, status: 'needed' });
        continue;
      }
      if (!isInstalled) await environments.prepare(packages, { signal: stop, onStep });
      steps.push({ name, status: isInstalled ? 'already installed' : 'done' });
    }
    return steps;
  } catch (error) {
    throw run.stopReason ?? error;
  } finally {
    run.leave();
  }
}
