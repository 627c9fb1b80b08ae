import type { HeaderTemplate } from '../../model/action.js';
import type { JsonObject } from '../../model/json.js';
import type { EnvironmentVariable, Program, ProgramTarget } from '../../model/program.js';
import { type Template, textTemplate } from '../../model/template.js';
import { interpreterOf } from '../interpreter.js';
import { resolvePackagePath } from './runtime-rules.js';

/** Names that tools and checks use to refer to programs. */
export const serverProgram = 'server';
export const commandProgram = 'command';
export const smokeProgram = 'smoke';
export const killProgram = 'kill-switch';

/** All programs: the server, the command of the actions, the smoke test and the kill switch. */
export function lowerPrograms(manifest: JsonObject): Program[] {
  const runtime = manifest.runtime as JsonObject;
  const smoke = manifest.smoke as JsonObject;
  const killSwitch = manifest.kill_switch as JsonObject;
  const entrypoint = runtime.entrypoint as JsonObject | undefined;
  const command = (entrypoint?.command ?? []) as readonly string[];
  const directory = resolvePackagePath((entrypoint?.cwd as string | undefined) ?? '') ?? '';
  const programs: Program[] = [];
  const add = (name: string, role: Program['role'], protocol: Program['protocol'], target: ProgramTarget) => {
    const lifetime = protocol === 'mcp' ? 'persistent' : 'call';
    programs.push({ name, role, lifetime, protocol, target, callerContext: false });
  };
  if (runtime.kind === 'mcp-stdio') {
    add(serverProgram, 'mcp-server', 'mcp', processTarget(manifest, command, directory));
  } else if (runtime.kind === 'mcp-http' && usesServer(manifest)) {
    const url = runtime.endpoint_url as string;
    add(serverProgram, 'mcp-server', 'mcp', { kind: 'url', url, headers: serverHeaders(manifest) });
  }
  const kinds = invocationsOf(manifest).map((it) => it.kind);
  if (kinds.includes('subcommand') || kinds.includes('stdin-json'))
    add(commandProgram, 'tool', 'argv', processTarget(manifest, command, directory));
  if (smoke.kind === 'shell')
    add(smokeProgram, 'smoke', 'argv', processTarget(manifest, smoke.command as readonly string[], ''));
  if (killSwitch.kind === 'shell') {
    const argv = killSwitch.command as readonly string[];
    add(killProgram, 'kill-switch', 'argv', processTarget(manifest, argv, ''));
  }
  return programs;
}

export function invocationsOf(manifest: JsonObject): readonly JsonObject[] {
  const actions = (manifest.actions ?? []) as readonly JsonObject[];
  return actions.map((it) => it.invocation as JsonObject);
}

function usesServer(manifest: JsonObject): boolean {
  const smoke = manifest.smoke as JsonObject;
  return smoke.kind === 'mcp-tool-call' || invocationsOf(manifest).some((it) => it.kind === 'mcp-tool');
}

function processTarget(manifest: JsonObject, argv: readonly string[], directory: string): ProgramTarget {
  const install = (manifest.runtime as JsonObject).install as JsonObject;
  if (install.method === 'container')
    return { kind: 'container', image: install.image as string, command: argv.map(textTemplate) };
  const runtime = interpreterOf(argv[0] ?? '');
  return {
    kind: 'process',
    command: (runtime === undefined ? argv : argv.slice(1)).map(textTemplate),
    ...(runtime === undefined ? {} : { runtime }),
    directory,
    environment: environmentOf(manifest),
  };
}

function environmentOf(manifest: JsonObject): EnvironmentVariable[] {
  const env = (manifest.env ?? []) as readonly JsonObject[];
  return env.map((it) => ({ name: it.name as string, value: slotTemplate(it.name as string) }));
}

/** The format has no credential field for the server, so a single secret is sent as its bearer token. */
function serverHeaders(manifest: JsonObject): HeaderTemplate[] {
  const slot = serverSecret(manifest);
  if (slot === undefined) return [];
  return [
    {
      name: 'Authorization',
      value: {
        parts: [
          { kind: 'text', text: 'Bearer ' },
          { kind: 'slot', slot },
        ],
      },
    },
  ];
}

/** The only secret of a remote server; undefined when there is none or more than one. */
export function serverSecret(manifest: JsonObject): string | undefined {
  const env = (manifest.env ?? []) as readonly JsonObject[];
  const secrets = env.filter((it) => it.secret === true);
  const remote = (manifest.runtime as JsonObject).kind === 'mcp-http' && usesServer(manifest);
  return remote && secrets.length === 1 ? (secrets[0]?.name as string) : undefined;
}

function slotTemplate(slot: string): Template {
  return { parts: [{ kind: 'slot', slot }] };
}
