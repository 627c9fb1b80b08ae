import type { PlainServer, ServerValue } from '../../../formats/server-writer.js';
import { HostError } from '../../../model/host-error.js';
import type { Launch } from '../../../model/launch/launch.js';
import { isReservedVariable } from '../../../model/reserved-variables.js';
import type { ServerDraft, ServerRequest } from './server-request.js';
import { isSecretValue, looksSecret, secretArgument } from './value-kind.js';

/** What was found out about a server besides what the person wrote. */
export interface ServerFacts {
  /** The command to start; undefined for an image. */
  readonly command: string | undefined;
  readonly args: readonly string[];
  /** Folders that it sees. */
  readonly read: readonly string[];
  readonly write: readonly string[];
}

type Draft = Pick<ServerDraft, 'values' | 'secrets' | 'notes'> & { readonly server: PlainServer };

/** The manifest of a server that is started with a command line. A pure function. */
export function programManifest(request: ServerRequest, launch: Launch, facts: ServerFacts): Draft {
  const given = { ...launch.env, ...request.env };
  const passed = [...launch.passed, ...(request.ask ?? [])].filter((it) => !Object.hasOwn(given, it));
  const kinds = { secrets: request.secrets ?? [], settings: request.settings ?? [] };
  const notes = [...launch.notes];
  const values: Record<string, string> = {};
  const secrets: string[] = [];
  const env: Record<string, ServerValue> = {};
  const secretWords = request.secretArguments ?? [];
  for (const [name, value] of Object.entries(given)) {
    if (isReservedVariable(name)) {
      notes.push(`${name} is left out: the host sets it`);
      continue;
    }
    if (!secretWords.some((it) => setsVariable(it, name, value)) && !isSecretValue(name, value, kinds)) {
      env[name] = { default: value };
      continue;
    }
    env[name] = { secret: true, required: true };
    values[name] = value;
    secrets.push(name);
  }
  for (const name of passed)
    if (!isReservedVariable(name))
      env[name] = isSecretValue(name, '', kinds) ? { secret: true, required: true } : { required: true };
  const sealed = sealedArguments(facts.args, Object.keys(env), secretWords);
  Object.assign(values, sealed.values);
  secrets.push(...Object.keys(sealed.values));
  const { program } = launch;
  const files: PlainServer['files'] & object = {
    ...(facts.read.length === 0 ? {} : { read: facts.read }),
    ...(facts.write.length === 0 ? {} : { write: facts.write }),
  };
  const scripts = request.scripts ?? [];
  const install: PlainServer['install'] =
    program.kind === 'npm'
      ? { npm: program.package }
      : program.kind === 'pypi'
        ? { pypi: program.package }
        : program.kind === 'image'
          ? { image: program.image }
          : undefined;
  return {
    server: {
      name: request.name,
      ...(install === undefined ? {} : { install }),
      ...(facts.command === undefined ? {} : { command: facts.command }),
      ...(sealed.args.length === 0 ? {} : { args: sealed.args }),
      ...(program.kind === 'image' ? {} : { startsInData: true }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(Object.keys(sealed.declared).length === 0 ? {} : { values: sealed.declared }),
      ...networkOf(request),
      ...(Object.keys(files).length === 0 ? {} : { files }),
      ...(scripts.length === 0 ? {} : { scripts: [...scripts].sort() }),
    },
    ...{ values, secrets, notes },
  };
}

/** The manifest of a server at a URL. Every header value is a secret, unless somebody calls it a setting. */
export function urlManifest(request: ServerRequest, url: string): Draft {
  const values: Record<string, string> = {};
  const secrets: string[] = [];
  const headers: Record<string, string> = {};
  const declared: Record<string, ServerValue> = {};
  for (const [header, value] of Object.entries(request.headers ?? {})) {
    const name = header.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    if (request.settings?.includes(header) === true || request.settings?.includes(name) === true) {
      headers[header] = value;
      continue;
    }
    // The scheme stays readable: only what comes after it is a secret.
    const [, scheme = '', secret = value] = /^((?:Bearer|Basic|Token) )(.*)$/is.exec(value) ?? [];
    headers[header] = `${scheme}\${${name}}`;
    declared[name] = { secret: true, required: true };
    values[name] = secret;
    secrets.push(name);
  }
  return {
    server: {
      ...{ name: request.name, url },
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(Object.keys(declared).length === 0 ? {} : { values: declared }),
    },
    ...{ values, secrets, notes: [] },
  };
}

function networkOf({ allow = [] }: ServerRequest): Pick<PlainServer, 'network'> {
  if (allow.includes('net:public')) return { network: 'public' };
  const hosts = allow.flatMap((it) => (it.startsWith('net:') ? [it.slice('net:'.length)] : []));
  return { network: [...new Set(hosts)].sort() };
}

/** Fails if a secret is in a part of the command line that is looked up or stored, such as the name of a package. */
export function assertSealable(request: ServerRequest, { env }: Launch, args: readonly string[]): void {
  const isSealed = (word: string) =>
    args.includes(word) || Object.entries(env).some(([name, value]) => setsVariable(word, name, value));
  if ((request.secretArguments ?? []).every(isSealed)) return;
  throw new HostError('usage', 'a secret is in a part of the command line that cannot be sealed', {
    hint: 'give it as a variable, or as an argument of the server itself',
  });
}

/** Whether a word of the command line gives a variable its value: `TOKEN=abc`, `--env=TOKEN=abc`. */
function setsVariable(word: string, name: string, value: string): boolean {
  const text = `${name}=${value}`;
  return word === text || (word.startsWith('-') && word.endsWith(text));
}

/** Replaces secrets in arguments by placeholders. Text like `${…}` would be taken for one, so it is left out. */
function sealedArguments(args: readonly string[], taken: readonly string[], secretWords: readonly string[]) {
  const values: Record<string, string> = {};
  const declared: Record<string, ServerValue> = {};
  const sealed: string[] = [];
  const seal = (wanted: string, value: string) => {
    let name = wanted;
    for (let count = 2; taken.includes(name) || Object.hasOwn(values, name); count++)
      name = `${wanted}_${count}`;
    values[name] = value;
    declared[name] = { secret: true, required: true };
    return `\${${name}}`;
  };
  for (const [index, arg] of args.entries()) {
    const option = secretArgument(arg);
    const before = secretArgument(args[index - 1] ?? '');
    if (secretWords.includes(arg)) sealed.push(seal(argumentName(arg, args[index - 1], 'ARGUMENT'), arg));
    else if (option?.value !== undefined && option.value !== '')
      sealed.push(`${arg.slice(0, arg.indexOf('=') + 1)}${seal(option.name, option.value)}`);
    else if (before !== undefined && before.value === undefined && !arg.startsWith('-'))
      sealed.push(seal(before.name, arg));
    else if (!arg.startsWith('-') && looksSecret(arg))
      sealed.push(seal(argumentName(arg, args[index - 1], 'KEY'), arg));
    else sealed.push(arg);
  }
  return { args: sealed, values, declared };
}

/** A name for a sealed argument: that of its option, if it has one. */
function argumentName(arg: string, before = '', otherwise: string): string {
  const [, option] = /^--?([A-Za-z][\w-]*)=/.exec(arg) ?? /^--?([A-Za-z][\w-]*)$/.exec(before) ?? [];
  return option?.toUpperCase().replace(/[^A-Z0-9]+/g, '_') ?? otherwise;
}
