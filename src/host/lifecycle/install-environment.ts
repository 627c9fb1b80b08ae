import { neverCanceled } from '../../model/cancel-signal.js';
import { imageReferenceText } from '../../model/image-reference.js';
import type { EnvironmentLock } from '../../model/lock-file.js';
import type { ChangeSteps } from './change-steps.js';
import type { InstallRequest } from './installations.js';
import type { CandidateSession, LifecycleServices, LifecycleSession } from './lifecycle-services.js';

/** What a generation uses besides its files. */
export interface MadeEnvironment {
  readonly environments: readonly string[];
  readonly images: readonly string[];
  /** npm packages whose install scripts did not run. */
  readonly scripts: readonly string[];
}

/** Fetches language packages and images. What is missing is in the journal first. `locks`: what must be installed. */
export async function makeEnvironment(
  id: string,
  { catalog }: CandidateSession,
  journal: string,
  { signal = neverCanceled }: Pick<InstallRequest, 'signal'>,
  steps: ChangeSteps,
  { environments, containers }: LifecycleSession,
  services: LifecycleServices,
  locks: readonly EnvironmentLock[] | undefined,
): Promise<MadeEnvironment> {
  const { needs } = catalog.runner(id).checked;
  const needed = needs.flatMap((it) => it.packages ?? []);
  const images = needs.flatMap((it) => it.image ?? []);
  const missing = needed.filter((it) => environments.find(it) === undefined);
  const missingImages: string[] = [];
  for (const it of images) if (!(await containers.has(it))) missingImages.push(imageReferenceText(it));
  if (missing.length > 0 || missingImages.length > 0)
    await services.journal.add(journal, {
      environments: missing.map((it) => environments.place(it)),
      images: missingImages,
      engine: containers.engine,
    });
  if (locks !== undefined) for (const it of needed) await environments.useLock(it, locks);
  const onStep = (detail: string) => steps.progress({ step: 'environment', detail });
  await catalog.install(id, { signal, onStep });
  return {
    environments: [...new Set(needed.map((it) => environments.place(it)))],
    images: [...new Set(images.map(imageReferenceText))],
    scripts: catalog.runner(id).trial.skippedScripts(),
  };
}
