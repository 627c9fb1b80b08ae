import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { escapes, ignoredFolders } from '../../bundle/folder.js';
import { HostError } from '../../model/host-error.js';
import { originText } from '../print/config.js';
import type { ConfigKeyName } from './config-keys.js';
import { type ConfigEntry, narrowed } from './config-layers.js';

/** Where packages are when a command names no path: the configured places, else what counts of this folder. */
export function defaultPaths(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  return configuredPaths(entries) ?? searchedHere(entries, cwd);
}

/**
 * What counts as named by whoever uses such a command. Not the parts that `discovery.only` keeps to: agents can write the file of
 * a project, and a part that it names anew is no place that the operator named.
 */
export function defaultNamed(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  return configuredPaths(entries) ?? [cwd];
}

function configuredPaths(entries: readonly ConfigEntry[]): readonly string[] | undefined {
  const paths = listOf(entries, 'paths');
  return paths === undefined || paths.length === 0 ? undefined : paths;
}

/** This folder, or those parts of it that `discovery.only` keeps to. Nothing is searched by guessing. */
export function searchedHere(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  const only = listOf(entries, 'discovery.only');
  if (only === undefined) return [cwd];
  const origin = entryOf(entries, 'discovery.only')?.origins[0];
  const who = origin === undefined ? '' : ` (${originText(origin)})`;
  const kept = narrowed([cwd], only);
  for (const it of kept) {
    const problem = beyondSearch(it, cwd, listOf(entries, 'discovery.ignore') ?? []);
    if (problem !== undefined)
      throw new HostError('invalid_config', `discovery.only names ${it}, ${problem}`, {
        hint: `name it on the command line if you mean it, or take it out of discovery.only${who}`,
      });
  }
  if (kept.length > 0) return kept;
  throw new HostError(
    'not_found',
    `nothing of ${cwd} is searched: discovery.only keeps to other folders${who}`,
    {
      hint: `name the folder that you mean, such as "."; those it keeps to are ${only.join(', ') || 'none'}`,
    },
  );
}

/** Why a search of this folder would not come to a part of it. Who says what counts of a folder brings nothing into it. */
function beyondSearch(path: string, cwd: string, ignore: readonly string[]): string | undefined {
  const hidden = relative(cwd, path)
    .split(sep)
    .find((it) => ignoredFolders.has(it) || ignore.includes(it));
  if (hidden !== undefined) return `which is not searched: folders called ${hidden} are left out`;
  try {
    const real = realpathSync.native(path);
    return escapes(realpathSync.native(cwd), real) ? `which leads out of ${cwd}, to ${real}` : undefined;
  } catch {
    // What is not there, or cannot be reached, is told by the search.
    return undefined;
  }
}

function listOf(entries: readonly ConfigEntry[], key: ConfigKeyName): readonly string[] | undefined {
  return entryOf(entries, key)?.value as readonly string[] | undefined;
}

function entryOf(entries: readonly ConfigEntry[], key: ConfigKeyName): ConfigEntry | undefined {
  return entries.find((it) => it.key === key);
}
