import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** A server as a client's configuration file describes it. Clients differ in the names of the members. */
export type ConfiguredServer =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Variables that the client passes on from its own environment. */
      readonly passedEnv: readonly string[];
      readonly cwd: string | undefined;
      readonly isDisabled: boolean;
    }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** The older transport with two endpoints. */
      readonly isSse: boolean;
      readonly isDisabled: boolean;
    }
  /** `reason`: why it is neither. */
  | { readonly kind: 'other'; readonly reason: string };

/** Reads an entry of any client that `connect` knows, and of files with the same members. */
export function configuredServer(entry: Json): ConfiguredServer {
  if (!isObject(entry)) return { kind: 'other', reason: 'it is not an object' };
  // Goose once had the settings of an extension one level deeper.
  const settings =
    isObject(entry.config) && entry.command === undefined ? { ...entry.config, ...entry } : entry;
  const isDisabled = settings.disabled === true || settings.enabled === false;
  const type = text(settings.type) ?? text(settings.transport);
  if (type !== undefined && builtInTypes.has(type))
    return { kind: 'other', reason: `it is a part of the client (type ${JSON.stringify(type)})` };
  const url = urlMembers.map((it) => text(settings[it])).find((it) => it !== undefined);
  if (url !== undefined) {
    const isSse = type === 'sse';
    return { kind: 'url', url, headers: headersOf(settings), isSse, isDisabled };
  }
  const program = programOf(settings);
  if (program === undefined) return { kind: 'other', reason: 'it has neither a command nor a URL' };
  const env = {
    ...strings(settings.env),
    ...strings(settings.envs),
    ...strings(settings.environment),
    ...program.env,
  };
  const passedEnv = [...list(settings.env_keys), ...list(settings.env_vars)];
  const cwd = text(settings.cwd) ?? text(settings.workingDirectory);
  return { kind: 'program', command: program.command, args: program.args, env, passedEnv, cwd, isDisabled };
}

const urlMembers = ['url', 'httpUrl', 'serverUrl', 'uri'] as const;
const builtInTypes = new Set(['builtin', 'platform', 'frontend', 'inline_python']);

interface ProgramMembers {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A command with arguments, a list of both, or an object with the path. */
function programOf({ command, cmd, args }: JsonObject): ProgramMembers | undefined {
  const written = command ?? cmd;
  if (Array.isArray(written)) {
    const [first, ...rest] = list(written);
    return first === undefined ? undefined : { command: first, args: [...rest, ...list(args)], env: {} };
  }
  if (isObject(written)) {
    const path = text(written.path);
    return path === undefined
      ? undefined
      : { command: path, args: list(written.args), env: strings(written.env) };
  }
  const name = text(written);
  return name === undefined ? undefined : { command: name, args: list(args), env: {} };
}

function headersOf(settings: JsonObject): Record<string, string> {
  const { requestOptions } = settings;
  const bearer = text(settings.bearer_token_env_var);
  return {
    ...strings(settings.headers),
    ...strings(settings.http_headers),
    ...(isObject(requestOptions) ? strings(requestOptions.headers) : {}),
    ...Object.fromEntries(
      Object.entries(strings(settings.env_http_headers)).map(([name, variable]) => [name, `\${${variable}}`]),
    ),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  };
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function list(value: Json | undefined): string[] {
  return Array.isArray(value)
    ? value.filter((it) => typeof it === 'string' || typeof it === 'number').map(String)
    : [];
}

function strings(value: Json | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, it]) =>
      typeof it === 'string' || typeof it === 'number' || typeof it === 'boolean' ? [[name, String(it)]] : [],
    ),
  );
}
