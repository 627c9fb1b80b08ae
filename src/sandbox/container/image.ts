import { HostError } from '../../model/host-error.js';
import { type ImageReference, imageReferenceText } from '../../model/image-reference.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';
import type { ProcessGroupWatchdog } from '../process/process-group-watchdog.js';
import { type ContainerEngine, engineArgs, engineErrorText, runEngine } from './engine.js';

/** An image in the engine's local store. */
export interface LocalImage {
  /** Digest of its content. */
  readonly id: string;
  /** Volumes that the image declares. */
  readonly volumes: readonly string[];
}

export interface PullOptions {
  readonly signal: AbortSignal;
  /** TLS is not needed: a registry on this machine that the operator granted. */
  readonly insecure: boolean;
  /** Folder with certificates of more authorities that the operator trusts, in files that end with `.crt`. */
  readonly certificates?: string | undefined;
}

const inspectMs = 20_000;
const pullMs = 30 * 60_000;

/** Searches only the engine's local store. */
export async function findImage(
  engine: ContainerEngine,
  image: ImageReference,
): Promise<LocalImage | undefined> {
  const ask = (...args: readonly string[]) =>
    runEngine(engine.path, [...engineArgs(engine), 'image', ...args], { timeoutMs: inspectMs });
  const output = await ask('inspect', imageReferenceText(image));
  if (output.code !== 0) {
    // Engines report a missing image like any other failure. If the engine can list its images, this one is missing.
    if (output.code !== null && (await ask('ls', '--quiet')).code === 0) return undefined;
    throw new HostError(
      'sandbox_unavailable',
      `the container engine could not list its images: ${engineErrorText(output)}`,
      {
        hint: `check the engine: ${engine.path} info`,
      },
    );
  }
  const [first] = parsed(output.stdout);
  const { Id: id, RepoDigests: digests, Digest: digest, Config: config } = first ?? {};
  const named = [digest, ...(Array.isArray(digests) ? digests : [])].map(String);
  // Engines resolve names differently, so only the digest counts.
  if (typeof id !== 'string' || !named.some((it) => it.split('@').at(-1) === image.digest)) return undefined;
  const plain = /^(?:sha256:)?([a-f0-9]{64})$/.exec(id)?.[1];
  if (plain === undefined) return undefined;
  const volumes = (config as { Volumes?: object | null } | undefined)?.Volumes ?? {};
  return { id: plain, volumes: Object.keys(volumes) };
}

/** Downloads exactly this digest, with the operator's network access and logins, not with the package's permissions. */
export async function pullImage(
  engine: ContainerEngine,
  image: ImageReference,
  { signal, insecure, certificates }: PullOptions,
  watchdog: ProcessGroupWatchdog,
): Promise<void> {
  const pull = (...options: readonly string[]) =>
    runEngine(
      engine.path,
      [...engineArgs(engine), 'pull', '--quiet', ...options, imageReferenceText(image)],
      { timeoutMs: pullMs, signal, watchdog },
    );
  const isPodman = engine.kind === 'podman';
  const withoutTls = insecure && isPodman ? ['--tls-verify=false'] : [];
  // Docker reads certificates only from its own settings.
  const trusted = certificates !== undefined && isPodman ? ['--cert-dir', certificates] : [];
  let output = await pull(...(trusted.length > 0 ? trusted : withoutTls));
  // A registry on this machine may have no TLS although there is an authority for others.
  const isPlain = trusted.length > 0 && insecure && /gave HTTP response to HTTPS/i.test(output.stderr);
  if (output.code !== 0 && isPlain && !signal.aborted) output = await pull(...withoutTls);
  if (signal.aborted) throw new HostError('canceled', 'downloading the image was canceled');
  if (output.code === 0) return;
  const message = `${imageReferenceText(image)} could not be downloaded: ${engineErrorText(output)}`;
  throw new HostError(
    // Engines give no reason except in their text. It only selects the code: the download failed in any case.
    /digest|checksum|mismatch/i.test(output.stderr) ? 'integrity' : 'network_failed',
    message,
    {
      hint: `test it: ${engine.path} pull ${imageReferenceText(image)}`,
    },
  );
}

const removeMs = 60_000;

/** Removes an image by its digest. One that a container uses, or that has another name too, stays. */
export async function removeImage(engine: ContainerEngine, image: ImageReference): Promise<void> {
  const args = [...engineArgs(engine), 'image', 'rm', imageReferenceText(image)];
  await runEngine(engine.path, args, { timeoutMs: removeMs });
}

function parsed(text: string): readonly Record<string, unknown>[] {
  const value = tryParseBounded(text, documentLimits);
  return Array.isArray(value) ? value : [];
}
