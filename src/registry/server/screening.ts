// What a registry does with an archive before it may be published: all checks, a person where one is needed, and a signed
// statement about the result that the publisher puts beside the release.
import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import type { ContributionFinding, ContributionVerdict } from '../../model/contribution.js';
import type { ReviewQueue } from '../../model/review-queue.js';
import { checkContribution } from '../contribute/check-contribution.js';
import type { TextModel } from '../contribute/model-check/text-model.js';
import { decideContribution } from '../contribute/publish/decide-contribution.js';
import { type DsseEnvelope, parseEnvelope } from '../contribute/statement/dsse.js';
import { verifyVerdict } from '../contribute/statement/verdict-statement.js';
import type { RegistrySigner } from '../metadata/registry-key.js';
import type { ReleaseName } from '../names/package-name.js';
import { withArchive } from './opened-archive.js';

export interface ScreeningOptions {
  readonly formats: readonly FormatDescriptor[];
  /** Undefined: a person looks at every package instead. */
  readonly model: TextModel | undefined;
  readonly queue: ReviewQueue;
  /** The names that the registry has, without their namespaces. */
  readonly existingNames: (except: string) => Promise<readonly string[]>;
  /** Those that may speak for the registry about releases. */
  readonly signers: () => readonly RegistrySigner[];
  readonly now: () => number;
  readonly randomId: () => string;
}

export interface ScreenedRelease extends ReleaseName {
  /** Path of the archive. */
  readonly archive: string;
  readonly sha256: string;
  /** The name of its token. */
  readonly publisher: string;
}

export type ScreeningResult =
  | { readonly status: 'passed'; readonly statement: DsseEnvelope }
  | {
      readonly status: 'waits-for-review';
      readonly review: string;
      readonly findings: readonly ContributionFinding[];
    };

/** Throws with the findings if the checks or a person rejected the archive. */
export async function screenRelease(
  release: ScreenedRelease,
  options: ScreeningOptions,
): Promise<ScreeningResult> {
  const { archive, sha256, name, version, publisher } = release;
  const decided = await decideContribution(
    {
      verdict: await verdictOf(release, options),
      archive: await readFile(archive),
      ...{ sha256, archiveName: `${name.text}@${version}` },
    },
    {
      queue: options.queue,
      name: publisher,
      keys: options
        .signers()
        .map(({ privateKey }) => ({ privateKey, publicKey: createPublicKey(privateKey) })),
      now: new Date(options.now()).toISOString(),
    },
  );
  if (decided.status === 'passed') return decided;
  const { id, verdict } = decided.entry;
  return { status: decided.status, review: id, findings: verdict.findings };
}

/** Whether one of the statements says that this registry lets the archive be published. */
export function isScreened(statements: string, sha256: string, signers: readonly RegistrySigner[]): boolean {
  const keys = signers.map((it) => createPublicKey(it.privateKey));
  return statements
    .split('\n')
    .filter((it) => it.trim() !== '')
    .some((line) => {
      const envelope = parseEnvelope(line);
      const verdict = envelope && verifyVerdict(envelope, sha256, { keys });
      return (
        verdict?.decision === 'pass' || (verdict?.decision === 'review' && verdict.review === 'approved')
      );
    });
}

async function verdictOf(
  { archive, name, version }: ScreenedRelease,
  { formats, model, existingNames, randomId }: ScreeningOptions,
): Promise<ContributionVerdict> {
  const own = name.name ?? name.namespace;
  const names = await existingNames(name.text);
  return withArchive(archive, formats, ({ bundle, format }) =>
    checkContribution({
      ...{ bundle, format, model, randomId },
      expected: { name: own, version },
      existingNames: names,
    }),
  );
}
