import { HostError } from '../../model/host-error.js';
import { originText } from '../print/config.js';
import type { ConfigKeyName } from './config-keys.js';
import { type ConfigEntry, narrowed } from './config-layers.js';

/** Where packages are when a command names no path: the configured places, else what counts of this folder. */
export function defaultPaths(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  const paths = listOf(entries, 'paths');
  return paths === undefined || paths.length === 0 ? searchedHere(entries, cwd) : paths;
}

/** This folder, or those parts of it that `discovery.only` keeps to. Nothing is searched by guessing. */
export function searchedHere(entries: readonly ConfigEntry[], cwd: string): readonly string[] {
  const only = listOf(entries, 'discovery.only');
  if (only === undefined) return [cwd];
  const kept = narrowed([cwd], only);
  if (kept.length > 0) return kept;
  const origin = entryOf(entries, 'discovery.only')?.origins[0];
  const who = origin === undefined ? '' : ` (${originText(origin)})`;
  throw new HostError(
    'not_found',
    `nothing of ${cwd} is searched: discovery.only keeps to other folders${who}`,
    {
      hint: `name the folder that you mean, such as "."; those it keeps to are ${only.join(', ') || 'none'}`,
    },
  );
}

function listOf(entries: readonly ConfigEntry[], key: ConfigKeyName): readonly string[] | undefined {
  return entryOf(entries, key)?.value as readonly string[] | undefined;
}

function entryOf(entries: readonly ConfigEntry[], key: ConfigKeyName): ConfigEntry | undefined {
  return entries.find((it) => it.key === key);
}
