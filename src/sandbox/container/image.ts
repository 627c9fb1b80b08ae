import { HostError } from '../../model/host-error.js';
import { type ImageReference, imageText } from '../../model/image.js';
import { complaintOf, type Engine, engineArgs, runEngine } from './engine.js';

/** An image that is here, by the id that its content has. */
export interface FoundImage {
  readonly id: string;
  /** Folders that it wants to be kept between runs. */
  readonly volumes: readonly string[];
}

export interface PullOptions {
  readonly signal: AbortSignal;
  /** For a registry on this machine that an operator granted. */
  readonly plain: boolean;
}

const lookMs = 20_000;
const pullMs = 30 * 60_000;

/** Looks in the engine's own store, and only there. */
export async function findImage(engine: Engine, image: ImageReference): Promise<FoundImage | undefined> {
  const said = await runEngine(engine.path, [...engineArgs(engine), 'image', 'inspect', imageText(image)], {
    timeoutMs: lookMs,
  });
  if (said.code !== 0) {
    if (/no such image|not known|failed to find|does not exist/i.test(said.stderr)) return undefined;
    throw new HostError(
      'sandbox_unavailable',
      `the container engine cannot say what is here: ${complaintOf(said)}`,
      {
        hint: `find out what is wrong: ${engine.path} info`,
      },
    );
  }
  const [first] = parsed(said.stdout);
  const { Id: id, RepoDigests: digests, Digest: digest, Config: config } = first ?? {};
  const named = [digest, ...(Array.isArray(digests) ? digests : [])].map(String);
  // Whatever an engine makes of a name, only the digest counts.
  if (typeof id !== 'string' || !named.some((it) => it.split('@').at(-1) === image.digest)) return undefined;
  const plain = /^(?:sha256:)?([a-f0-9]{64})$/.exec(id)?.[1];
  if (plain === undefined) return undefined;
  const volumes = (config as { Volumes?: object | null } | undefined)?.Volumes ?? {};
  return { id: plain, volumes: Object.keys(volumes) };
}

/** Fetches exactly the digest. What the engine itself may reach is the operator's, not the package's. */
export async function pullImage(
  engine: Engine,
  image: ImageReference,
  { signal, plain }: PullOptions,
): Promise<void> {
  const verify = plain && engine.flavour === 'podman' ? ['--tls-verify=false'] : [];
  const said = await runEngine(
    engine.path,
    [...engineArgs(engine), 'pull', '--quiet', ...verify, imageText(image)],
    { timeoutMs: pullMs, signal },
  );
  if (signal.aborted) throw new HostError('canceled', 'fetching the image was canceled');
  if (said.code === 0) return;
  const message = `${imageText(image)} cannot be fetched: ${complaintOf(said)}`;
  throw new HostError(
    /digest|checksum|mismatch/i.test(said.stderr) ? 'integrity' : 'network_failed',
    message,
    {
      hint: `try it by hand: ${engine.path} pull ${imageText(image)}`,
    },
  );
}

function parsed(text: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
