import { existsSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import type { ProbeResult, SandboxLimits, SandboxProcess } from '../sandbox.js';
import { ensureBaseImage } from './base-image.js';
import { probeContainer } from './container-probe.js';
import { type ContainerEngine, engineErrorText, runEngine } from './engine.js';

/** A container engine with the result of its probe. */
export interface TestedEngine {
  readonly engine: ContainerEngine;
  /** Id of the base image. */
  readonly baseImage: string;
  readonly result: ProbeResult;
}

/** OCI runtimes to try if podman's default runtime cannot start a container. */
const fallbackRuntimes = ['/usr/bin/crun', '/usr/sbin/runc', '/usr/bin/runc'];

/** Starts a container from the base image, with the system's programs mounted. */
export type StartInBaseImage = (
  engine: ContainerEngine,
  baseImage: string,
  argv: readonly string[],
  limits: SandboxLimits,
) => SandboxProcess;

/** Finds an OCI runtime that starts containers: only the configured one, or else the engine's default and the fallbacks. */
export async function testEngine(
  identified: ContainerEngine,
  configuredRuntime: string | undefined,
  start: StartInBaseImage,
): Promise<TestedEngine> {
  const baseImage = await ensureBaseImage(identified);
  const others = identified.kind === 'podman' ? fallbackRuntimes.filter((it) => existsSync(it)) : [];
  let first: TestedEngine | undefined;
  for (const runtime of configuredRuntime === undefined ? [null, ...others] : [configuredRuntime]) {
    const engine = { ...identified, runtime };
    const option = runtime === null ? '' : ` --runtime ${runtime}`;
    const hint = `test it: ${identified.path}${option} run --rm --network none IMAGE; another runtime may work: sudo apt-get install runc`;
    const { started, result } = await probeContainer(
      (argv, limits) => start(engine, baseImage, argv, limits),
      hint,
    );
    const tested = { engine, baseImage, result };
    if (started) return tested;
    first ??= tested;
  }
  return first as TestedEngine;
}

/** Kind and version of the engine, from its --version output. */
export async function identifyEngine(path: string): Promise<ContainerEngine> {
  const output = await runEngine(path, ['--version'], { timeoutMs: 10_000 });
  const [, name, version] = /^(podman|docker) version v?(\d+[\w.+~-]*)/i.exec(output.stdout) ?? [];
  if (output.code !== 0 || name === undefined || version === undefined) {
    throw new HostError(
      'runtime_missing',
      `${path} is not a supported container engine: ${engineErrorText(output)}`,
      {
        hint: 'set container.engine to podman or docker in your configuration',
      },
    );
  }
  return { path, kind: name.toLowerCase() as ContainerEngine['kind'], version, runtime: null };
}
