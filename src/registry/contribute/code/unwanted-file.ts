import type { ContributionFinding } from '../../../model/contribution.js';
import { hasPrivateKey, keyMaterialKind } from '../../../policy/key-material.js';
import { contributionFinding } from '../contribution-findings.js';
import type { PackageFile } from '../package-files.js';

/** A file that holds keys by its name. */
export function keyMaterialFile({ path, text = '' }: PackageFile): ContributionFinding | undefined {
  const parts = path.split('/');
  const isKey = parts.some((name, index) => {
    const folder = `/${parts.slice(0, index).join('/')}`.replace(/\/$/, '');
    const kind = keyMaterialKind(folder, name);
    return kind === 'always' || (kind === 'if-private' && hasPrivateKey(text));
  });
  if (!isKey) return undefined;
  return contributionFinding(
    'contribute.key-file',
    { file: path },
    'files with this name hold keys',
    'leave it out of the package',
  );
}

const needless =
  /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.idea|\.vscode|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nyc_output|coverage|\.eslintcache|npm-debug\.log|\.svn|\.hg)(?:\/|$)|(?:\.(?:swp|swo|orig|rej|bak|tmp|log|tgz|whl|pyc|pyo)|~)$/i;

/** What editors, tests and packers leave behind. */
export function needlessFile({ path }: PackageFile): ContributionFinding | undefined {
  if (!needless.test(path)) return undefined;
  return contributionFinding(
    'contribute.needless-file',
    { file: path },
    'the package does not need this file',
    'leave it out',
  );
}
