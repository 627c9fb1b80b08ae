import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../files/sha256.js';
import { allCertificates } from '../../net/trusted-certificates.js';
import { certificateFiles } from '../../sandbox/certificate-mount.js';

/** A folder that sandboxed programs can read, with the additional certificates and with all that are trusted. */
export function certificateFolder(parent: string, extra: string): string {
  const folder = join(parent, `certificates-${sha256(extra).slice(0, 16)}`);
  const files = [
    [certificateFiles.extra, extra],
    [certificateFiles.engine, extra],
    [certificateFiles.all, allCertificates(extra).join('\n')],
  ] as const;
  if (files.every(([name]) => existsSync(join(folder, name)))) return folder;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  for (const [name, text] of files) writeFileSync(join(folder, name), `${text}\n`, { mode: 0o644 });
  return folder;
}
