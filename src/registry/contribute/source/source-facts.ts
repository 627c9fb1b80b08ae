import type { ContributionFinding } from '../../../model/contribution.js';
import { isObject, type Json, type JsonPath, valueAt } from '../../../model/json.js';
import type { Package } from '../../../model/package.js';
import { contributionFinding } from '../contribution-findings.js';
import type { PackageFile } from '../package-files.js';
import { parseDocument } from '../text/package-texts.js';

/** Where other files of a package repeat its name and version. */
const repeated: Readonly<Record<string, readonly JsonPath[]>> = {
  'package.json': [[]],
  'pyproject.toml': [['project'], ['tool', 'poetry']],
  'Cargo.toml': [['package']],
};

/** Words that a name in another list has besides the name of the package. */
const affixes =
  /^(?:mcp|server|plugin|tool|tools|extension|ext|package|toolwharf|talos|nexo|patch|agent|js|py|node)$/;

/** What the publisher says the package is. */
export interface ExpectedPackage {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Whether the manifest says what the publisher says, and the source says what the manifest says. */
export function checkSource(
  pkg: Package,
  files: readonly PackageFile[],
  manifest: string,
  expected: ExpectedPackage,
): ContributionFinding[] {
  const place = { file: manifest };
  const found: ContributionFinding[] = [];
  if (expected.name !== undefined && expected.name !== pkg.id)
    found.push(
      contributionFinding(
        'contribute.other-name',
        place,
        `the manifest is that of ${JSON.stringify(pkg.id)}, not ${JSON.stringify(expected.name)}`,
      ),
    );
  if (expected.version !== undefined && expected.version !== pkg.version)
    found.push(
      contributionFinding(
        'contribute.other-version',
        place,
        `the manifest has version ${pkg.version}, not ${expected.version}`,
      ),
    );
  if (pkg.version === '0.0.0')
    found.push(
      contributionFinding(
        'contribute.no-version',
        place,
        'the manifest has no version, so it is published as 0.0.0, once',
        'add a version; each later one needs a higher one',
      ),
    );
  return [
    ...found,
    ...files.flatMap((it) => (it.path === manifest ? codeVersion(pkg, it) : repeatedFacts(pkg, it))),
  ];
}

function repeatedFacts(pkg: Package, { path, text }: PackageFile): ContributionFinding[] {
  const places = repeated[path];
  if (places === undefined)
    return text === undefined || path.includes('/') ? [] : codeVersion(pkg, { path, text });
  const document = text === undefined ? undefined : parseDocument(path, text);
  if (document?.value === undefined)
    return [
      contributionFinding(
        'contribute.source-unreadable',
        { file: path },
        'this file cannot be parsed, so its name and version were not compared',
      ),
    ];
  return places.flatMap((at) => {
    const table = valueAt(document.value, at);
    if (!isObject(table)) return [];
    const { name, version } = table;
    return [
      ...(versionDiffers(pkg, version)
        ? [
            contributionFinding(
              'contribute.source-version',
              { file: path, range: document.locate([...at, 'version']) },
              `${path} has version ${String(version)}, the manifest has ${pkg.version}`,
              'use one version in both',
            ),
          ]
        : []),
      ...(typeof name === 'string' && !isSameName(pkg, name)
        ? [
            contributionFinding(
              'contribute.source-name',
              { file: path, range: document.locate([...at, 'name']) },
              `${path} is named ${JSON.stringify(name)}, the manifest ${JSON.stringify(pkg.id)}`,
            ),
          ]
        : []),
    ];
  });
}

const pythonVersion = /^__version__[ \t]{0,8}=[ \t]{0,8}['"]([^'"\n]{1,64})['"]/m;
const scriptVersion = /^export const (?:VERSION|version)[ \t]{0,8}=[ \t]{0,8}['"]([^'"\n]{1,64})['"]/m;

/** A version that the code declares of itself. */
function codeVersion(
  pkg: Package,
  { path, text = '' }: Pick<PackageFile, 'path' | 'text'>,
): ContributionFinding[] {
  const pattern = path.endsWith('.py')
    ? pythonVersion
    : /\.[mc]?[jt]s$/.test(path)
      ? scriptVersion
      : undefined;
  const match = pattern?.exec(text) ?? null;
  if (match === null || !versionDiffers(pkg, match[1] as string)) return [];
  const line = text.slice(0, match.index).split('\n').length;
  const range = { line, column: 1, endLine: line, endColumn: 1 + match[0].length };
  return [
    contributionFinding(
      'contribute.source-version',
      { file: path, range },
      `the code says that it is version ${match[1]}, the manifest says ${pkg.version}`,
      'use one version in both',
    ),
  ];
}

function versionDiffers(pkg: Package, version: Json | undefined): boolean {
  return typeof version === 'string' && pkg.version !== '0.0.0' && version !== pkg.version;
}

function isSameName(pkg: Package, name: string): boolean {
  const own = plain(name);
  return [pkg.id, pkg.name].some((it) => {
    const other = plain(it);
    return own !== '' && other !== '' && (own.includes(other) || other.includes(own));
  });
}

function plain(name: string): string {
  const bare = name.replace(/^@[^/]{1,200}\//, '').toLowerCase();
  const words = bare.split(/[^\p{L}\p{N}]{1,20}/u).filter((it) => it !== '' && !affixes.test(it));
  return words.length === 0 ? bare : words.join('');
}
