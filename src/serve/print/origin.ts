import type { InstallationOrigin } from '../../host/host.js';
import { visibleLine } from './visible.js';

/** A package at a path, and what names the path. */
export interface NamedPath {
  /** Absolute path of the manifest. */
  readonly path: string;
  /** Such as an option, or a line of a configuration file. */
  readonly namedBy: string;
}

/** Why a package is here, as text. */
export function printOrigin(
  id: string,
  installed: InstallationOrigin | undefined,
  linked: readonly NamedPath[],
): string {
  const lines = [
    ...(installed === undefined ? [] : installedLines(installed)),
    ...linked.map((it) => `${id} is at ${it.path}; named by ${it.namedBy}`),
  ];
  return `${lines.map(visibleLine).join('\n')}\n`;
}

function installedLines(it: InstallationOrigin): string[] {
  const where = it.roots === null ? 'in all workspaces' : `in ${it.roots.join(', ')}`;
  const state = it.state === 'active' ? `served ${where}` : 'not served: it is being revoked';
  return [
    `${it.package} ${it.version} (generation ${it.generation}), ${state}`,
    `  agreed to by ${it.by} on ${timeText(it.at)}; first installed on ${timeText(it.installedAt)}`,
    `  source     ${it.source}`,
    ...(it.resolved === it.source ? [] : [`  resolved   ${it.resolved}`]),
    `  plan       ${it.plan}`,
    ...it.lockFiles.map(
      ({ file, isInstalled }) => `  lock file  ${file}${isInstalled ? '' : ', which says something else'}`,
    ),
    ...it.entries.map(({ seq, at, body }) => {
      const { operation, by } = body;
      return `  audit ${seq}  ${at.slice(0, 16).replace('T', ' ')}  ${String(operation)}  ${String(by)}`;
    }),
  ];
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
