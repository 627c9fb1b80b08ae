import type { Package } from '../../../model/package.js';
import { readToolLabels } from '../read-tool-labels.js';
import type { ToolLabels } from '../tool-labels.js';
import { github, gmail, notion, slack } from './account-servers.js';
import { type KnownServer, labelDocumentOf } from './known-server.js';
import { filesystem, git, memory, thinking, time } from './local-servers.js';
import {
  brave,
  chromeDevtools,
  context7,
  exa,
  fetchServer,
  firecrawl,
  playwright,
  puppeteer,
  tavily,
} from './web-servers.js';

/** Servers that many people use, with labels that a person decided from the descriptions of their tools. */
export const knownServers: readonly KnownServer[] = [
  ...[filesystem, memory, git, thinking, time],
  ...[fetchServer, brave, tavily, exa, context7, firecrawl, playwright, chromeDevtools, puppeteer],
  ...[github, slack, notion, gmail],
];

const readServers = new Map<KnownServer, ReadonlyMap<string, ToolLabels>>();

/** The reviewed labels of a tool, if its package installs or reaches a known server; else undefined. */
export function knownLabels(
  pkg: Pick<Package, 'install' | 'programs'>,
  tool: string,
): ToolLabels | undefined {
  const server = serverOf(pkg);
  if (server === undefined) return undefined;
  let labels = readServers.get(server);
  if (labels === undefined) {
    labels = readToolLabels(labelDocumentOf(server)).tools;
    readServers.set(server, labels);
  }
  return labels.get(tool);
}

/** A package is recognized by what it installs or reaches, never by the name that somebody gave it here. */
function serverOf({ install, programs }: Pick<Package, 'install' | 'programs'>): KnownServer | undefined {
  if (install.kind === 'npm') return knownServers.find((it) => it.npm?.includes(install.package));
  if (install.kind === 'pip') return knownServers.find((it) => it.pypi?.includes(install.package));
  const hosts = programs.flatMap(({ target }) => (target.kind === 'url' ? [hostOf(target.url)] : []));
  const [first] = hosts;
  if (first === undefined || hosts.some((it) => it !== first)) return undefined;
  return knownServers.find((it) => it.hosts?.includes(first));
}

function hostOf(url: string): string {
  return /^https:\/\/([a-z0-9.-]+)(?::443)?(?:[/?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
}
