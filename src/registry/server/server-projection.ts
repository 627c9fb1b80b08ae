// Releases as the API of the official MCP registry shows servers (server.json 2025-12-11), so that clients that read that
// API can browse this registry. They cannot verify what they see there; installing does.
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import { constantText } from '../../model/template.js';
import type { ReleaseStatus } from '../listing/listed-release.js';
import type { ReleaseRow } from '../listing/listing-store.js';
import { serverNameOf } from '../listing/server-name.js';

const schemaUrl = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const maxDescription = 100;

/** How clients start or reach the server themselves, without this host. Empty if they cannot. */
export interface LaunchFacts {
  readonly packages: readonly JsonObject[];
  readonly remotes: readonly JsonObject[];
}

export const noLaunchFacts: LaunchFacts = { packages: [], remotes: [] };

const statuses = {
  active: 'active',
  withdrawn: 'deprecated',
  quarantined: 'deleted',
} as const satisfies Record<ReleaseStatus, string>;

export function serverResponse({ release, isLatest, summary }: ReleaseRow, launch: LaunchFacts): JsonObject {
  const { name, version, publishedAt, changedAt, status, reason } = release;
  const title = summary?.title ?? '';
  const server: JsonObject = {
    $schema: schemaUrl,
    name: serverNameOf(name),
    description: shortened(summary?.description ?? '') || shortened(title) || name.slice(0, maxDescription),
    ...(title === '' ? {} : { title: title.slice(0, maxDescription) }),
    version,
    ...(launch.packages.length === 0 ? {} : { packages: launch.packages }),
    ...(launch.remotes.length === 0 ? {} : { remotes: launch.remotes }),
    _meta: {
      'io.modelcontextprotocol.registry/publisher-provided': {
        toolwharf: {
          name,
          install: `toolwharf install registry:${name}@${version}`,
          ...(summary === undefined
            ? {}
            : { format: summary.format, tools: summary.tools, tags: summary.tags }),
          ...(reason === undefined ? {} : { reason }),
        },
      },
    },
  };
  const official = { status: statuses[status], publishedAt, updatedAt: changedAt, isLatest };
  return { server, _meta: { 'io.modelcontextprotocol.registry/official': official } };
}

/** The same for clients that look for MCP servers on a domain; undefined: it cannot be reached by a URL. */
export function serverCard(
  { release, summary }: ReleaseRow,
  { remotes }: LaunchFacts,
): JsonObject | undefined {
  if (remotes.length === 0) return undefined;
  const { name, version } = release;
  return {
    name: serverNameOf(name),
    version,
    ...(summary === undefined || summary.title === ''
      ? {}
      : { title: summary.title.slice(0, maxDescription) }),
    description: shortened(summary?.description ?? '') || name,
    remotes,
  };
}

/** Only what needs no value of the user is shown: such a package cannot be started without this host. */
export function launchFactsOf(pkg: Package): LaunchFacts {
  const [program] = pkg.programs.filter((it) => it.role === 'mcp-server');
  if (program === undefined || pkg.slots.some((it) => it.required)) return noLaunchFacts;
  const { target } = program;
  if (target.kind === 'url')
    return target.url.startsWith('https://') && target.headers.length === 0
      ? { packages: [], remotes: [{ type: 'streamable-http', url: target.url }] }
      : noLaunchFacts;
  const { install } = pkg;
  const types = { npm: 'npm', pip: 'pypi', container: 'oci' } as const;
  if (install.kind !== 'npm' && install.kind !== 'pip' && install.kind !== 'container') return noLaunchFacts;
  const version = install.kind === 'container' ? undefined : install.version?.replace(/^==?=?/, '');
  // A range is not a version, and the API has versions only.
  if (version !== undefined && !/^\d[\w.+-]*$/.test(version)) return noLaunchFacts;
  const args = target.kind === 'process' || target.kind === 'container' ? target.command.slice(1) : [];
  const values = args.map(constantText);
  if (values.some((it) => it === undefined)) return noLaunchFacts;
  return {
    packages: [
      {
        registryType: types[install.kind],
        identifier: install.kind === 'container' ? install.image : install.package,
        ...(version === undefined ? {} : { version }),
        transport: { type: 'stdio' },
        ...(values.length === 0
          ? {}
          : { packageArguments: values.map((it) => ({ type: 'positional', value: it as string })) }),
      },
    ],
    remotes: [],
  };
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxDescription ? line : `${line.slice(0, maxDescription - 1).trimEnd()}…`;
}
