import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { type ImageReference, imageText } from '../../model/image.js';
import { coverPlan } from '../hidden.js';
import { confinedUser } from '../identity.js';
import type { SandboxCommand, SandboxProcess, Verdict } from '../sandbox.js';
import { type ContainerPlan, runArgs } from './arguments.js';
import { makeCovers } from './covers.js';
import {
  type Engine,
  type EngineSettings,
  engineEnvironment,
  findEngine,
  noEngine,
  noEngineHint,
  removalArgs,
  runEngine,
} from './engine.js';
import { type FoundImage, findImage, type PullOptions, pullImage } from './image.js';
import { type Keeper, openKeeper } from './keeper.js';
import { containedProcess } from './process.js';
import { identify, type Tried, tryEngine } from './trial.js';
import { steersEngine } from './variables.js';
import { openWayOut } from './way-out.js';

/** One container to run. Its folder is the one that its image names. */
export type ContainerCommand = Omit<SandboxCommand, 'directory' | 'boundAddressSpace'> & {
  readonly image: ImageReference;
};

/** Programs that come as images, through the engine of this machine. */
export interface Containers {
  /** Path of the engine; undefined when there is none. */
  readonly engine: string | undefined;
  /** What the engine really holds, found out by trying, once. */
  probe(): Promise<Verdict>;
  /** What was found, as far as anything was tried. */
  readonly verdict: Verdict | undefined;
  /** The engine, as it was tried. */
  about(): Promise<Engine>;
  /** Whether the image is here; nothing is fetched. */
  has(image: ImageReference): Promise<boolean>;
  pull(image: ImageReference, options: PullOptions): Promise<void>;
  start(command: ContainerCommand): Promise<SandboxProcess>;
  close(): Promise<void>;
}

export interface ContainerOptions extends EngineSettings {
  /** Folder of the host: what runs is on record there, and what covers hidden files lies there. */
  readonly folder: string;
  /** A short name that was never used before. */
  readonly newName: () => string;
}

const removalMs = 10_000;
/** How long an image that was not here is taken to be still away. */
const absentMs = 1000;
/** How long an engine that did not hold is not tried again. */
const againMs = 10_000;
const nothingCovered = { pins: [], covers: [] };
const system = [{ source: '/usr', target: '/usr', writable: false }];

type Plan = Omit<ContainerPlan, 'name' | 'label' | 'user' | 'closed'>;

export function openContainers(options: ContainerOptions): Containers {
  const path = findEngine(options);
  const { user } = confinedUser();
  const folder = join(options.folder, 'containers');
  const state = digest(folder);
  const label = `toolwharf.state=${state}`;
  // Each engine has its own record: what one left, another does not know.
  const record = join(folder, `running-${digest(path ?? '').slice(0, 8)}`);
  const found = new Map<string, { image: FoundImage | undefined; at: number }>();
  const running = new Set<SandboxProcess>();
  let keeper: Keeper | undefined;
  let knowing: Promise<Engine> | undefined;
  let sweeping: Promise<void> | undefined;
  let trying: Promise<Tried> | undefined;
  let triedAt = 0;
  let latest: Verdict | undefined;

  const know = async (): Promise<Engine> => {
    if (path === undefined) throw new HostError('runtime_missing', noEngine, { hint: noEngineHint });
    knowing ??= identify(path);
    return knowing.catch((error) => {
      knowing = undefined;
      throw error;
    });
  };
  const kept = (): Keeper => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    keeper ??= openKeeper(record);
    return keeper;
  };

  /** Removes what a host left that was killed together with everything that watched over it. */
  const sweep = async (): Promise<void> => {
    const engine = await know();
    const within = { timeoutMs: removalMs };
    const words = ['ps', '-a', '--filter', `label=${label}`, '--format', '{{.Names}}'];
    const listed = await runEngine(engine.path, words, within);
    const names = listed.stdout.split('\n').filter((it) => /^toolwharf-[a-z0-9-]+$/.test(it));
    if (names.length > 0) await runEngine(engine.path, [...removalArgs(engine), ...names], within);
    writeFileSync(record, '');
  };
  const swept = (): Promise<void> => {
    sweeping ??= existsSync(record) && kept().left ? sweep() : Promise.resolve();
    return sweeping;
  };

  /** `closed`: values that no list of processes shows. */
  const launch = (engine: Engine, plan: Plan, closed: Readonly<Record<string, string>>) => {
    const name = `toolwharf-${state.slice(0, 8)}-${options.newName()}`;
    const removal = removalArgs(engine);
    kept().started(name, [engine.path, ...removal]);
    const whole = { ...plan, name, label, user, closed: Object.keys(closed) };
    const child = spawn(engine.path, runArgs(engine, whole, makeCovers(folder)), {
      cwd: '/',
      // The canary is for the probe: nothing of these arrives inside unless it is named.
      env: { ...closed, TOOLWHARF_CANARY: '1', ...engineEnvironment() },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const process: SandboxProcess = containedProcess(child, {
      remove: async () => void (await runEngine(engine.path, [...removal, name], { timeoutMs: removalMs })),
      onEnd: () => {
        running.delete(process);
        kept().ended(name);
      },
    });
    running.add(process);
    return { name, process };
  };

  const attempt = async (): Promise<Tried> => {
    const known = await know();
    await swept();
    return tryEngine(known, options.runtime, (engine, frame, argv, limits) => {
      const plan = {
        image: frame,
        argv,
        open: {},
        mounts: system,
        plan: nothingCovered,
        limits,
        network: null,
      };
      return launch(engine, plan, {}).process;
    });
  };
  const tried = async (): Promise<Tried> => {
    // A busy moment must not speak for the whole life of the host, nor be asked about again and again.
    if (latest?.level === 'unavailable' && performance.now() - triedAt > againMs) trying = undefined;
    trying ??= attempt();
    const done = await trying.catch((error) => {
      trying = undefined;
      throw error;
    });
    if (latest !== done.verdict) triedAt = performance.now();
    latest = done.verdict;
    return done;
  };
  const look = async (image: ImageReference): Promise<FoundImage | undefined> => {
    const known = found.get(image.digest);
    if (known?.image !== undefined || (known && performance.now() - known.at < absentMs)) return known.image;
    const seen = await findImage(await know(), image);
    found.set(image.digest, { image: seen, at: performance.now() });
    return seen;
  };

  // A host that was killed may have left something that nobody will ask for again.
  if (path !== undefined && existsSync(record)) swept().catch(() => {});

  return {
    engine: path,
    get verdict() {
      return latest;
    },
    async probe() {
      return (await tried()).verdict;
    },
    async about() {
      return (await tried()).engine;
    },
    has: async (image) => (await look(image)) !== undefined,
    async pull(image, how) {
      await pullImage(await know(), image, how);
      found.delete(image.digest);
      if ((await look(image)) === undefined)
        throw new HostError('integrity', `what was fetched for ${imageText(image)} has another digest`);
    },
    async start(command) {
      const { engine, frame, verdict } = await tried();
      if (verdict.level === 'unavailable') {
        const message = `containers cannot be confined here: ${verdict.reasons.join('; ')}`;
        throw new HostError('sandbox_unavailable', message, { hint: verdict.hint });
      }
      const image = await look(command.image);
      if (image === undefined)
        throw new HostError('needs_setup', `the image ${imageText(command.image)} is not here`);
      assertRunnable(engine, image, command);
      const { mounts, limits, argv, environment } = command;
      const base = { image: image.id, argv, mounts, plan: coverPlan(mounts, command.hidden, user), limits };
      const open = { HOME: '/tmp' };
      if (command.egress === null)
        return launch(engine, { ...base, open, network: null }, environment).process;
      return openWayOut(command.egress, {
        system,
        relay: (relay) => launch(engine, { ...relay, image: frame }, {}),
        tool: (network, proxy) =>
          launch(engine, { ...base, open: { ...open, ...proxy }, network }, environment).process,
      });
    },
    async close() {
      const ends = [...running].map((it) => {
        it.kill();
        return it.exited.catch(() => {});
      });
      await Promise.all([...ends, sweeping?.catch(() => {})]);
    },
  };
}

function assertRunnable(
  { flavour }: Engine,
  { volumes }: FoundImage,
  { environment }: ContainerCommand,
): void {
  const steering = Object.keys(environment).filter(steersEngine);
  if (steering.length > 0)
    throw new HostError('not_supported', `${steering.join(', ')} would steer the container engine`);
  // Podman is told to ignore them; docker would make a folder on the disk for each, without a bound.
  if (flavour === 'docker' && volumes.length > 0) {
    const message = `the image wants to keep data in ${volumes.join(', ')}, which docker does not bound`;
    throw new HostError('not_supported', message, { hint: 'use podman: container.engine = "podman"' });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
