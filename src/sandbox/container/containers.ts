import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { type ImageReference, imageReferenceText } from '../../model/image-reference.js';
import { LoadOnce } from '../../model/load-once.js';
import { mountLayers } from '../bubblewrap/mount-layers.js';
import { startProcessGroupWatchdog } from '../process/process-group-watchdog.js';
import { processIdentity } from '../process/process-identity.js';
import type { ProbeResult, SandboxCommand, SandboxProcess } from '../sandbox.js';
import { containerProcess } from './container-process.js';
import { startWithEgress } from './egress-container.js';
import {
  type ContainerEngine,
  type EngineSettings,
  engineEnvironment,
  findEngine,
  noEngine,
  noEngineHint,
  removalArgs,
  runEngine,
} from './engine.js';
import { configuresEngine } from './engine-variables.js';
import { findImage, type LocalImage, type PullOptions, pullImage, removeImage } from './image.js';
import { createMaskFiles } from './mask-files.js';
import { type ContainerPlan, runArgs } from './run-arguments.js';
import { openRunningContainers, type RunningContainers } from './running-containers.js';
import { identifyEngine, type TestedEngine, testEngine } from './tested-engine.js';

/** One container to run. It starts in the working directory that its image defines. */
export type ContainerCommand = Omit<SandboxCommand, 'directory' | 'limitAddressSpace'> & {
  readonly image: ImageReference;
  /** `argv` has only the arguments of the image's own entrypoint. */
  readonly keepsEntrypoint?: boolean;
  /** Its home folder. Default: /tmp. */
  readonly home?: string;
};

/** Runs programs that come as container images, with the container engine of this machine. */
export interface Containers {
  /** Path of the engine; undefined if none is installed. */
  readonly engine: string | undefined;
  /** What the engine really enforces, tested from inside a container. Tested once if it works. */
  probe(): Promise<ProbeResult>;
  /** The last result of `probe`; undefined before the first one. */
  readonly lastProbe: ProbeResult | undefined;
  /** The engine with the runtime that passed the probe. */
  testedEngine(): Promise<ContainerEngine>;
  /** Whether the image is in the engine's local store; downloads nothing. */
  has(image: ImageReference): Promise<boolean>;
  pull(image: ImageReference, options: PullOptions): Promise<void>;
  /** Removes an image from the engine's local store, if it is there and no container uses it. */
  remove(image: ImageReference): Promise<void>;
  start(command: ContainerCommand): Promise<SandboxProcess>;
  close(): Promise<void>;
}

export interface ContainerOptions extends EngineSettings {
  /** Folder of the host for the list of running containers and the files that mask hidden paths. */
  readonly folder: string;
  /** A short unique name. */
  readonly newName: () => string;
}

const removalMs = 10_000;
/** How long a missing image is assumed to be still missing. */
const missingImageMs = 1000;
/** Minimum time before an engine that failed the probe is tested again. */
const retestMs = 10_000;
const system = [{ source: '/usr', target: '/usr', writable: false }];

type PartialPlan = Omit<ContainerPlan, 'name' | 'label' | 'user' | 'secretVariableNames'>;

export function openContainers(options: ContainerOptions): Containers {
  const path = findEngine(options);
  const { user } = processIdentity();
  const folder = join(options.folder, 'containers');
  const state = digest(folder);
  const label = `toolwharf.state=${state}`;
  // One list per engine: an engine does not know the containers of another.
  const listPath = join(folder, `running-${digest(path ?? '').slice(0, 8)}`);
  const imageCache = new Map<string, { image: LocalImage | undefined; at: number }>();
  const running = new Set<SandboxProcess>();
  const watchdog = startProcessGroupWatchdog(undefined);
  let openedList: RunningContainers | undefined;
  let removing: Promise<void> | undefined;
  let testedAt = 0;
  let lastResult: ProbeResult | undefined;

  const identified = new LoadOnce(async (): Promise<ContainerEngine> => {
    if (path === undefined) throw new HostError('runtime_missing', noEngine, { hint: noEngineHint });
    return identifyEngine(path);
  });
  const identify = () => identified.get();
  const runningList = (): RunningContainers => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    openedList ??= openRunningContainers(listPath);
    return openedList;
  };

  /** Removes containers of a host that was killed together with its watchdog. */
  const removeLeftovers = async (): Promise<void> => {
    const engine = await identify();
    const timeout = { timeoutMs: removalMs };
    const args = ['ps', '-a', '--filter', `label=${label}`, '--format', '{{.Names}}'];
    const listed = await runEngine(engine.path, args, timeout);
    const names = listed.stdout.split('\n').filter((it) => /^toolwharf-[a-z0-9-]+$/.test(it));
    if (names.length > 0) await runEngine(engine.path, [...removalArgs(engine), ...names], timeout);
    writeFileSync(listPath, '');
  };
  const leftoversRemoved = (): Promise<void> => {
    removing ??= existsSync(listPath) && runningList().hasLeftovers ? removeLeftovers() : Promise.resolve();
    return removing;
  };

  /** `secretVariables` go through the engine's environment, so that no process list shows their values. */
  const launch = (
    engine: ContainerEngine,
    plan: PartialPlan,
    secretVariables: Readonly<Record<string, string>>,
  ) => {
    const name = `toolwharf-${state.slice(0, 8)}-${options.newName()}`;
    const removal = removalArgs(engine);
    runningList().started(name, [engine.path, ...removal]);
    const whole = { ...plan, name, label, user, secretVariableNames: Object.keys(secretVariables) };
    const child = spawn(engine.path, runArgs(engine, whole, createMaskFiles(folder)), {
      cwd: '/',
      // Only variables named in the arguments reach the container; the probe checks that the canary does not.
      env: { ...secretVariables, TOOLWHARF_CANARY: '1', ...engineEnvironment() },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const process: SandboxProcess = containerProcess(child, {
      remove: async () => void (await runEngine(engine.path, [...removal, name], { timeoutMs: removalMs })),
      onEnd: () => {
        running.delete(process);
        runningList().ended(name);
      },
    });
    running.add(process);
    return { name, process };
  };

  const test = async (): Promise<TestedEngine> => {
    const identified = await identify();
    await leftoversRemoved();
    return testEngine(identified, options.runtime, (engine, baseImage, argv, limits) => {
      const plan = {
        image: baseImage,
        argv,
        publicVariables: {},
        layers: { mounts: system, masks: [] },
        limits,
        network: null,
      };
      return launch(engine, plan, {}).process;
    });
  };
  const testing = new LoadOnce(test);
  const tested = async (): Promise<TestedEngine> => {
    // A failure may be temporary (a busy machine), so it is tested again, but not at every call.
    if (lastResult?.level === 'unavailable' && performance.now() - testedAt > retestMs) testing.forget();
    const done = await testing.get();
    if (lastResult !== done.result) testedAt = performance.now();
    lastResult = done.result;
    return done;
  };
  const findLocal = async (image: ImageReference): Promise<LocalImage | undefined> => {
    const cached = imageCache.get(image.digest);
    const isFresh = cached !== undefined && performance.now() - cached.at < missingImageMs;
    if (cached?.image !== undefined || isFresh) return cached?.image;
    const local = await findImage(await identify(), image);
    imageCache.set(image.digest, { image: local, at: performance.now() });
    return local;
  };

  // A killed host may have left containers that no later call would find.
  if (path !== undefined && existsSync(listPath)) leftoversRemoved().catch(() => {});

  return {
    engine: path,
    get lastProbe() {
      return lastResult;
    },
    async probe() {
      return (await tested()).result;
    },
    async testedEngine() {
      return (await tested()).engine;
    },
    has: async (image) => (await findLocal(image)) !== undefined,
    async pull(image, pullOptions) {
      await pullImage(await identify(), image, pullOptions, watchdog);
      imageCache.delete(image.digest);
      if ((await findLocal(image)) === undefined)
        throw new HostError(
          'integrity',
          `the downloaded image ${imageReferenceText(image)} has another digest`,
        );
    },
    async remove(image) {
      await removeImage(await identify(), image);
      imageCache.delete(image.digest);
    },
    async start(command) {
      const { engine, baseImage, result } = await tested();
      if (result.level === 'unavailable') {
        const message = `containers are not isolated on this machine: ${result.reasons.join('; ')}`;
        throw new HostError('sandbox_unavailable', message, { hint: result.hint });
      }
      const image = await findLocal(command.image);
      if (image === undefined)
        throw new HostError(
          'needs_setup',
          `the image ${imageReferenceText(command.image)} is not downloaded`,
        );
      assertRunnable(engine, image, command);
      const { limits, argv, environment } = command;
      const base = {
        image: image.id,
        argv,
        ...(command.keepsEntrypoint === true ? { keepsEntrypoint: true } : {}),
        layers: mountLayers(command, user),
        limits,
      };
      // Not in the environment of the engine's command, where it would be the home folder of the engine.
      const publicVariables = { HOME: command.home ?? '/tmp' };
      if (command.egress === null)
        return launch(engine, { ...base, publicVariables, network: null }, environment).process;
      return startWithEgress(command.egress, {
        system,
        relay: (relay) => launch(engine, { ...relay, image: baseImage }, {}),
        tool: (network, proxyVariables) =>
          launch(
            engine,
            { ...base, publicVariables: { ...publicVariables, ...proxyVariables }, network },
            environment,
          ).process,
      });
    },
    async close() {
      const exits = [...running].map((it) => {
        it.kill();
        return it.exited.catch(() => {});
      });
      await Promise.all([...exits, removing?.catch(() => {})]);
    },
  };
}

function assertRunnable(
  { kind }: ContainerEngine,
  { volumes }: LocalImage,
  { environment }: ContainerCommand,
): void {
  const reserved = Object.keys(environment).filter(configuresEngine);
  if (reserved.length > 0)
    throw new HostError(
      'not_supported',
      `the package sets ${reserved.join(', ')}, which would configure the container engine`,
    );
  // Podman ignores volumes (--image-volume ignore); docker would create a folder of unlimited size for each.
  if (kind === 'docker' && volumes.length > 0) {
    const message = `the image declares the volumes ${volumes.join(', ')}, whose size docker cannot limit`;
    throw new HostError('not_supported', message, { hint: 'use podman: container.engine = "podman"' });
  }
}

function digest(text: string): string {
  return sha256(text).slice(0, 16);
}
