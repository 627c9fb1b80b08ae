import { sha256 } from '../../files/sha256.js';
import type { Bundle } from '../../model/bundle.js';
import type { ContributionFinding } from '../../model/contribution.js';
import { canonicalJson } from '../../model/json.js';
import { contributionFinding } from './contribution-findings.js';

/** One file of the package. `text`: undefined if it is not valid UTF-8. */
export interface PackageFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly text: string | undefined;
}

/** All files of a package with a digest of their paths and contents, and what could not be read. */
export interface ReadPackage {
  readonly files: readonly PackageFile[];
  readonly digest: string;
  readonly findings: readonly ContributionFinding[];
}

const maxFileCount = 5000;
const maxTotalBytes = 128 * 1024 * 1024;

/** Reads every file. A file that cannot be read is a finding: what nobody looked at is not published. */
export function readPackageFiles(bundle: Bundle): ReadPackage {
  const paths = bundle.files();
  const files: PackageFile[] = [];
  const findings: ContributionFinding[] = [];
  let total = 0;
  if (paths.length > maxFileCount)
    findings.push(tooMany(bundle, `${maxFileCount.toLocaleString('en')} files`));
  for (const path of paths.slice(0, maxFileCount)) {
    const entry = bundle.read(path);
    if (entry.kind !== 'file') {
      const reason = entry.kind === 'rejected' ? entry.detail : `it is a ${entry.kind} entry`;
      findings.push(
        contributionFinding(
          'contribute.unreadable-file',
          { file: path },
          `this file cannot be read: ${reason}`,
        ),
      );
      continue;
    }
    total += entry.bytes.length;
    if (total > maxTotalBytes) {
      findings.push(tooMany(bundle, '128 MiB'));
      break;
    }
    files.push({ path, bytes: entry.bytes, text: decoded(entry.bytes) });
  }
  const digest = sha256(
    new TextEncoder().encode(canonicalJson(files.map((it) => [it.path, sha256(it.bytes)]))),
  );
  return { files, digest, findings };
}

function tooMany(bundle: Bundle, limit: string): ContributionFinding {
  const message = `the package has more than ${limit}, so not all of it was checked`;
  const hint = 'publish only what the package needs';
  return contributionFinding('contribute.too-many-files', { file: bundle.manifest }, message, hint);
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    // Keeps a byte order mark, so that positions stay right and the text check sees it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
