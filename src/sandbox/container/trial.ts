import { existsSync } from 'node:fs';
import { HostError } from '../../model/host-error.js';
import type { Limits, SandboxProcess, Verdict } from '../sandbox.js';
import { complaintOf, type Engine, runEngine } from './engine.js';
import { frameOf } from './frame.js';
import { probeContainer } from './probe.js';

/** An engine that was tried. */
export interface Tried {
  readonly engine: Engine;
  /** Id of the image that has only places. */
  readonly frame: string;
  readonly verdict: Verdict;
}

/** Looked for where the engine's own choice cannot start anything. */
const runtimes = ['/usr/bin/crun', '/usr/sbin/runc', '/usr/bin/runc'];

/** Starts a container of the frame with the system's programs in it. */
export type StartFramed = (
  engine: Engine,
  frame: string,
  argv: readonly string[],
  limits: Limits,
) => SandboxProcess;

/** Finds the runtime that starts anything: what the operator names and no other, else the engine's own first. */
export async function tryEngine(
  known: Engine,
  wanted: string | undefined,
  start: StartFramed,
): Promise<Tried> {
  const frame = await frameOf(known);
  const others = known.flavour === 'podman' ? runtimes.filter((it) => existsSync(it)) : [];
  let first: Tried | undefined;
  for (const runtime of wanted === undefined ? [null, ...others] : [wanted]) {
    const engine = { ...known, runtime };
    const option = runtime === null ? '' : ` --runtime ${runtime}`;
    const hint = `try it by hand: ${known.path}${option} run --rm --network none IMAGE; another runtime may do: sudo apt-get install runc`;
    const { started, verdict } = await probeContainer(
      (argv, limits) => start(engine, frame, argv, limits),
      hint,
    );
    const tried = { engine, frame, verdict };
    if (started) return tried;
    first ??= tried;
  }
  return first as Tried;
}

/** Which engine it is, by its own word. */
export async function identify(path: string): Promise<Engine> {
  const said = await runEngine(path, ['--version'], { timeoutMs: 10_000 });
  const [, name, version] = /^(podman|docker) version v?(\d+[\w.+~-]*)/i.exec(said.stdout) ?? [];
  if (said.code !== 0 || name === undefined || version === undefined) {
    throw new HostError(
      'runtime_missing',
      `${path} is no container engine that is known here: ${complaintOf(said)}`,
      {
        hint: 'name podman or docker with container.engine in your configuration',
      },
    );
  }
  return { path, flavour: name.toLowerCase() as Engine['flavour'], version, runtime: null };
}
