import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { ignoredFolders } from '../../../bundle/folder.js';
import { isWithin } from '../../../files/path-containment.js';
import { HostError } from '../../../model/host-error.js';
import { settingOriginText } from '../../print/config.js';
import type { ConfigKeyName } from './config-keys.js';
import { type ConfigEntry, intersectFolders } from './config-layers.js';

/** Folders to search when a command names no path: the configured `paths`, else this folder or its `discovery.only` parts. */
export function defaultPaths(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  return configuredPaths(entries) ?? searchRoots(entries, cwd);
}

/**
 * Folders in which a command without a path accepts new packages. Ignores `discovery.only`: an agent can write a project
 * file, and a folder that it adds there must not count as named by the operator.
 */
export function defaultAcceptNewIn(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  return configuredPaths(entries) ?? [cwd];
}

function configuredPaths(entries: readonly ConfigEntry[]): readonly string[] | undefined {
  const paths = arrayOf(entries, 'paths');
  return paths === undefined || paths.length === 0 ? undefined : paths;
}

/** This folder, or only its `discovery.only` parts. Fails if none of them is in this folder. */
export function searchRoots(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  const only = arrayOf(entries, 'discovery.only');
  if (only === undefined) return [cwd];
  const origin = entryOf(entries, 'discovery.only')?.origins[0];
  const where = origin === undefined ? '' : ` (${settingOriginText(origin)})`;
  const kept = intersectFolders([cwd], only);
  for (const it of kept) {
    const problem = notSearchable(it, cwd, arrayOf(entries, 'discovery.ignore') ?? []);
    if (problem !== undefined)
      throw new HostError('invalid_config', `discovery.only names ${it}, ${problem}`, {
        hint: `name it on the command line, or remove it from discovery.only${where}`,
      });
  }
  if (kept.length > 0) return kept;
  throw new HostError('not_found', `discovery.only${where} does not include ${cwd}`, {
    hint: `name the folder to search, such as "."; discovery.only lists ${only.join(', ') || 'none'}`,
  });
}

/** Why a normal search of this folder would not reach `path`; undefined if it would. */
function notSearchable(path: string, cwd: string, ignore: readonly string[]): string | undefined {
  const hidden = relative(cwd, path)
    .split(sep)
    .find((it) => ignoredFolders.has(it) || ignore.includes(it));
  if (hidden !== undefined) return `which is not searched: folders named ${hidden} are ignored`;
  try {
    const real = realpathSync.native(path);
    return isWithin(real, realpathSync.native(cwd)) ? undefined : `which is a link out of ${cwd}, to ${real}`;
  } catch {
    // The search itself reports missing or unreadable folders.
    return undefined;
  }
}

function arrayOf(entries: readonly ConfigEntry[], key: ConfigKeyName): readonly string[] | undefined {
  return entryOf(entries, key)?.value as readonly string[] | undefined;
}

function entryOf(entries: readonly ConfigEntry[], key: ConfigKeyName): ConfigEntry | undefined {
  return entries.find((it) => it.key === key);
}
