import type { Bundle } from '../../model/bundle.js';
import type { JsonObject } from '../../model/json.js';
import type { Program, ProgramTarget, Runtime } from '../../model/program.js';
import { textTemplate } from '../../model/template.js';
import { interpreterLanguage, normalizePath } from './bundle-path.js';
import {
  codeMode,
  listOf,
  memberOf,
  objectOf,
  remoteUrl,
  stringOf,
  stringOrMember,
} from './manifest-fields.js';
import { remoteCredential } from './remote-credential.js';

/** The program name of the package's own code. */
export const codeProgram = 'code';

/** Commands under `delivery` are for other hosts; this host never runs them. */
export function programsOf(manifest: JsonObject, bundle: Bundle): Program[] {
  const programs: Program[] = [];
  const mode = codeMode(manifest);
  if (mode === 'wrap') {
    programs.push({
      name: codeProgram,
      role: 'tool',
      lifetime: 'persistent',
      protocol: 'function',
      callerContext: false,
      target: {
        kind: 'process',
        command: [textTemplate(normalizePath(stringOrMember(manifest.entrypoint, 'path') as string))],
        runtime: runtimeOf(manifest),
        directory: '',
        environment: [],
      },
    });
  }
  if (mode === 'native') {
    programs.push({ ...server, name: codeProgram, target: nativeTarget(manifest, bundle) });
  }
  const url = remoteUrl(manifest);
  if (url !== undefined) {
    const credential = remoteCredential(manifest);
    const target = { kind: 'url', url, headers: [] } as const;
    programs.push({
      ...server,
      name: 'remote',
      target: credential === undefined ? target : { ...target, credential },
    });
  }
  return programs;
}

const server = { role: 'mcp-server', lifetime: 'persistent', protocol: 'mcp', callerContext: false } as const;

/** Programs that must be installed on the machine. */
export function requiredBinaries(manifest: JsonObject): string[] {
  if (codeMode(manifest) !== 'native') return [];
  const command = stringOf(objectOf(manifest.mcp).command) as string;
  return command.includes('/') || interpreterLanguage(command) !== undefined ? [] : [command];
}

function nativeTarget(manifest: JsonObject, bundle: Bundle): ProgramTarget {
  const mcp = objectOf(manifest.mcp);
  const command = mcp.command as string;
  const args = listOf(mcp.args) as readonly string[];
  const language = interpreterLanguage(command);
  const script = args[0];
  const bundled =
    script !== undefined && !script.startsWith('-') && bundle.read(normalizePath(script)).kind === 'file';
  if (language !== undefined && bundled) {
    return {
      kind: 'process',
      command: [textTemplate(normalizePath(script)), ...args.slice(1).map(textTemplate)],
      runtime: { ...runtimeOf(manifest), language },
      directory: '',
      environment: [],
    };
  }
  return {
    kind: 'process',
    command: [command, ...args].map(textTemplate),
    directory: '',
    environment: [],
  };
}

function runtimeOf(manifest: JsonObject): Runtime {
  const version = stringOf(memberOf(manifest.runtime, 'version'));
  return {
    language: stringOrMember(manifest.runtime, 'kind') as Runtime['language'],
    ...(version === undefined ? {} : { version, mustFit: true }),
    packages: [],
  };
}
