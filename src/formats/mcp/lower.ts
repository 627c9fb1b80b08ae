import type { Bundle } from '../../model/bundle.js';
import { noGuardrails } from '../../model/guardrails.js';
import type { JsonObject } from '../../model/json.js';
import type { InstallPlan, SmokeTest } from '../../model/lifecycle.js';
import type { Package } from '../../model/package.js';
import { npmRangeOf, pypiRangeOf } from '../../model/package-range.js';
import type { FilesystemAccess, FolderAccess, Permissions } from '../../model/permissions.js';
import type { Program, ProgramTarget } from '../../model/program.js';
import type { Audience } from '../../model/slot.js';
import { textTemplate } from '../../model/template.js';
import { interpreterOf } from '../interpreter.js';
import { tableOf, targetOf, textOf, textsOf } from './manifest-fields.js';
import { networkOf } from './network.js';
import { valueTemplate } from './placeholders.js';
import { folderInside } from './rules.js';
import { serverSlots } from './values.js';

/** The only program of a package. */
const serverProgram = 'server';

/** It starts and says which tools it has. A server may download or build something first. */
const startTest: SmokeTest = {
  check: { kind: 'start' },
  timeoutSeconds: 60,
  success: { pointers: [], noErrorField: false },
};

/** Converts a manifest without errors to a package. The server announces its tools when it starts. */
export function lower(manifest: JsonObject, bundle: Bundle): Package {
  const name = manifest.name as string;
  const title = textOf(manifest.title) ?? name;
  const command = textOf(manifest.command);
  const isMachineProgram =
    command !== undefined &&
    manifest.install === undefined &&
    !command.includes('/') &&
    interpreterOf(command) === undefined;
  return {
    format: 'mcp',
    id: name,
    version: textOf(manifest.version) ?? '0.0.0',
    name: title,
    description: textOf(manifest.description) ?? `The MCP server ${title}.`,
    programs: [server(manifest, bundle)],
    tools: [],
    prompts: [],
    hooks: [],
    needs: { binaries: isMachineProgram ? [command] : [] },
    slots: serverSlots(manifest, audienceOf(manifest)),
    permissions: permissionsOf(manifest),
    guardrails: noGuardrails,
    install: installOf(manifest),
    smoke: startTest,
    announcesTools: true,
    targets: [],
    facts: [],
  };
}

function server(manifest: JsonObject, bundle: Bundle): Program {
  const target = targetFor(manifest, bundle);
  return {
    name: serverProgram,
    role: 'mcp-server',
    lifetime: 'persistent',
    protocol: 'mcp',
    target,
    callerContext: false,
    ...(target.kind === 'url' ? {} : { homeInData: true }),
  };
}

function targetFor(manifest: JsonObject, bundle: Bundle): ProgramTarget {
  const command = textOf(manifest.command);
  const args = textsOf(manifest.args).map(valueTemplate);
  const kind = targetOf(manifest);
  if (kind === 'url')
    return {
      kind,
      url: textOf(manifest.url) ?? '',
      headers: Object.entries(tableOf(manifest.headers)).map(([name, value]) => ({
        name,
        value: valueTemplate(value as string),
      })),
    };
  if (kind === 'image')
    return {
      kind: 'container',
      image: tableOf(manifest.install).image as string,
      command: [...(command === undefined ? [] : [textTemplate(command)]), ...args],
      ...(command === undefined && args.length > 0 ? { keepsEntrypoint: true } : {}),
    };
  const cwd = textOf(manifest.cwd);
  const runtime = interpreterOf(command ?? '');
  return {
    kind: 'process',
    command: runtime === undefined ? [textTemplate(command ?? ''), ...args] : args,
    ...(runtime === undefined ? {} : { runtime }),
    directory: cwd === undefined ? '' : (folderInside(cwd) ?? ''),
    ...(cwd === '${workspace}' ? { inWorkspace: true } : {}),
    ...(cwd === '${data}' && !startsBundled(manifest, bundle) ? { inData: true } : {}),
    environment: [],
  };
}

/** A file of the package is found from its folder only, so a server that starts one starts there. */
function startsBundled({ command, args }: JsonObject, bundle: Bundle): boolean {
  const [script] = textsOf(args);
  return [textOf(command), script].some((it) => {
    const path = it === undefined || it.startsWith('-') ? undefined : folderInside(it);
    return path !== undefined && path !== '' && bundle.read(path).kind === 'file';
  });
}

/** A secret goes where the server goes. If the manifest names no host, the operator names those of the secret. */
function audienceOf(manifest: JsonObject): Audience {
  const network = networkOf(manifest);
  return network.kind === 'hosts' && network.hosts.length > 0
    ? { kind: 'hosts', hosts: [...new Set(network.hosts.map((it) => it.host))] }
    : { kind: 'unbound' };
}

function permissionsOf(manifest: JsonObject): Permissions {
  const isUrl = targetOf(manifest) === 'url';
  const files = isUrl ? {} : tableOf(manifest.files);
  const writable = textsOf(files.write);
  const folders: FolderAccess[] = [
    ...textsOf(files.read)
      .filter((it) => !writable.includes(it))
      .map((path) => ({ path, writable: false })),
    ...writable.map((path) => ({ path, writable: true })),
  ];
  return {
    origin: 'declared',
    network: networkOf(manifest),
    filesystem: (textOf(files.workspace) ?? 'none') as FilesystemAccess,
    ...(folders.length === 0 ? {} : { folders }),
    stateDirectory: !isUrl,
    scopes: [],
  };
}

function installOf(manifest: JsonObject): InstallPlan {
  if (targetOf(manifest) === 'url') return { kind: 'bundled' };
  const { npm, pypi, image } = tableOf(manifest.install);
  if (typeof image === 'string') return { kind: 'container', image };
  const node = typeof npm === 'string' ? npmRangeOf(npm) : undefined;
  const python = typeof pypi === 'string' ? pypiRangeOf(pypi) : undefined;
  const scripts = textsOf(manifest.build);
  if (node !== undefined)
    return {
      ...{ kind: 'npm', package: node.name },
      ...(node.range === undefined ? {} : { version: node.range }),
      ...(scripts.length === 0 ? {} : { scripts }),
    };
  if (python === undefined) return { kind: 'bundled' };
  return {
    ...{ kind: 'pip', package: python.name },
    ...(python.range === undefined ? {} : { version: python.range }),
  };
}
