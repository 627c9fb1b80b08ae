import type { EnvironmentStore } from '../../environment/environment-store.js';
import type { KillSubject } from '../../model/kill-target.js';
import { toAbortSignal } from '../../net/abort-signal.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { RunningCalls } from '../operator/running-calls.js';
import { type ImageInstallServices, installImage, type RegistryAccess } from './image-install.js';
import type { InstallOptions, InstallStep } from './package-change.js';
import type { ProgramNeed } from './program-need.js';

export interface InstallServices extends ImageInstallServices {
  readonly kills: KillSwitch;
  readonly running: RunningCalls;
  readonly environments: EnvironmentStore;
}

/** Installs what programs need, one by one. It runs programs, so it can be canceled and killed like a call. */
export async function installPrograms(
  needs: readonly ProgramNeed[],
  subject: KillSubject,
  services: InstallServices,
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
        const detail = packages.language === 'python' ? packages.requirements.join(', ') : undefined;
        steps.push({ name, status: 'needed', ...(detail === undefined ? {} : { detail }) });
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
