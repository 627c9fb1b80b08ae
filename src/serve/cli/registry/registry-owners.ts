import { HostError } from '../../../model/host-error.js';
import { namespaceOwners } from '../../../registry/repository/namespace-owners.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { RegistryPlace } from './registry-place.js';
import { amountText, reportRegistry } from './registry-report.js';

/** Who may publish where, and until when what they signed is valid. */
export async function registryOwners(args: Arguments, terminal: Terminal): Promise<number> {
  const [, namespace, ...more] = args.positionals;
  if (more.length > 0) throw new HostError('usage', 'name one namespace, or none for all');
  const place = await RegistryPlace.open(args, terminal);
  const owners = await namespaceOwners(await place.repository.view(), namespace);
  if (namespace !== undefined && owners.length === 0)
    throw new HostError('not_found', `nobody was approved for the namespace ${namespace}`, {
      hint: 'approve a publisher: toolwharf registry approve NAMESPACE KEY',
    });
  return reportRegistry(
    owners.length === 0
      ? ['no publisher was approved yet']
      : owners.flatMap((it) => [
          `${it.namespace}  ${amountText(it.releases, 'release')}, ${it.threshold} of ${it.keys.length} keys must sign${it.expires === null ? '' : `, valid until ${it.expires.slice(0, 10)}`}`,
          ...it.keys.map((key) => `  ${key}`),
        ]),
    { did: 'listed owners', owners: owners.map((it) => ({ ...it })) },
    args,
    terminal,
  );
}
