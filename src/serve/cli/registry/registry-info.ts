import { HostError } from '../../../model/host-error.js';
import { parseSource } from '../../../model/parse-source.js';
import type { FoundRelease } from '../../../registry/client/registry-client.js';
import { printRegistryPackage, warningOf } from '../../print/registry-package.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { configuredRegistries } from './registry-access.js';

/** `info registry:NAME[@RANGE]`: what a registry says about a package that is not installed. */
export async function showRegistryPackage(
  text: string,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const source = parseSource(text, { lookUp: (path) => ({ kind: 'missing', path }) });
  if ('problem' in source) throw new HostError('usage', source.problem, { hint: source.hint });
  if (source.kind !== 'registry') throw new Error('the caller names a registry source');
  const access = await configuredRegistries(args, terminal);
  const found = await terminal.registryPackageFacts(source, access);
  const { name, registry, releases, chosen, verdict, expired } = found;
  if (chosen === undefined)
    throw new HostError('not_found', `${name} in the registry ${registry} has no version ${source.range}`, {
      hint: `it has ${releases
        .slice(0, 5)
        .map((it) => it.release.version)
        .join(', ')}`,
    });
  if (!args.has('json')) {
    terminal.out(printRegistryPackage(found, terminalStyle(args, terminal)));
    return 0;
  }
  const document = {
    schema: 'toolwharf/registry-package@1',
    ...{ name, registry, source: `registry:${name}@${chosen.release.version}` },
    ...{ version: chosen.release.version, ...releaseFacts(chosen) },
    verdict: verdict === undefined ? null : { decision: verdict.decision, review: verdict.review ?? null },
    releases: releases.map((it) => ({ version: it.release.version, ...releaseFacts(it) })),
    expired,
  };
  terminal.out(`${JSON.stringify(document)}\n`);
  return 0;
}

function releaseFacts(found: FoundRelease) {
  const { release, quarantined } = found;
  const { sha256, length } = release.bundle;
  return {
    ...{ sha256, bytes: length, offered: warningOf(found) === undefined },
    ...(release.yanked === undefined ? {} : { yanked: release.yanked }),
    ...(quarantined === undefined
      ? {}
      : { quarantined: { reason: quarantined.reason, time: quarantined.time } }),
  };
}
