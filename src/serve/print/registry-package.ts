// Packages of registries as text. All of it was written by publishers, so nothing in it reaches the terminal unseen.
import type { FoundRelease } from '../../registry/client/registry-client.js';
import type { RegistryPackageFacts } from '../../registry/client/registry-package.js';
import type { FoundPackageSummary } from '../../registry/client/registry-search.js';
import type { VerifiedVerdict } from '../../registry/contribute/statement/verdict-statement.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { clip } from './width.js';

const maxTools = 8;

export function printFoundPackages(
  packages: readonly FoundPackageSummary[],
  style: Style,
  columns: number,
): string {
  const lines = packages.flatMap(({ name, version, format, registry, description, tools, ...marks }) => [
    `${style.bold(visibleLine(name))} ${visibleLine(version)}  ${style.dim(visibleLine(`${format}, in ${registry}`))}`,
    ...(marks.quarantined === undefined
      ? []
      : [style.warning(`  under quarantine: ${visibleLine(marks.quarantined)}`)]),
    ...(marks.yanked === undefined ? [] : [style.warning(`  withdrawn: ${visibleLine(marks.yanked)}`)]),
    ...(description === '' ? [] : [clip(`  ${visibleLine(description)}`, columns)]),
    ...(tools.length === 0 ? [] : [clip(`  tools: ${visibleLine(shortList(tools))}`, columns)]),
  ]);
  return lines.map((it) => `${it}\n`).join('');
}

export function printRegistryPackage(
  { name, registry, releases, chosen, verdict, expired }: RegistryPackageFacts,
  style: Style,
): string {
  const lines = [
    `${style.bold(visibleLine(name))}  ${style.dim(`in the registry ${registry}`)}`,
    ...expired.map((it) => style.warning(`old copy: ${visibleLine(it)}`)),
    'Versions',
    ...releases.map((it) => `  ${releaseLine(it, style)}`),
  ];
  if (chosen !== undefined) {
    const { version, bundle } = chosen.release;
    lines.push(
      `Version ${visibleLine(version)}`,
      `  SHA-256  ${bundle.sha256}, ${bundle.length.toLocaleString('en')} bytes`,
      `  checks   ${visibleLine(verdictText(verdict))}`,
      warningOf(chosen) === undefined
        ? `Next: toolwharf plan registry:${visibleLine(`${name}@${version}`)}`
        : 'Choose another version.',
    );
  }
  return lines.map((it) => `${it}\n`).join('');
}

export function warningOf({ release, quarantined }: FoundRelease): string | undefined {
  if (quarantined !== undefined) return `under quarantine: ${quarantined.reason}`;
  return release.yanked === undefined ? undefined : `withdrawn: ${release.yanked}`;
}

function releaseLine(found: FoundRelease, style: Style): string {
  const warning = warningOf(found);
  const version = visibleLine(found.release.version);
  return warning === undefined ? version : `${version}  ${style.warning(visibleLine(warning))}`;
}

function verdictText(verdict: VerifiedVerdict | undefined): string {
  if (verdict === undefined) return 'no verdict that the registry signed with its present keys';
  const { decision, review } = verdict;
  if (decision === 'pass') return 'passed, signed by the registry';
  return review === undefined
    ? `${decision}, signed by the registry`
    : `${review} by a person, signed by the registry`;
}

function shortList(names: readonly string[]): string {
  const more = names.length - maxTools;
  return more > 0 ? `${names.slice(0, maxTools).join(', ')} and ${more} more` : names.join(', ');
}
