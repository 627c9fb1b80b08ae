// Prompts and resources of MCP servers behind the host: listed from what somebody agreed to, read from the server itself.

import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../model/json.js';
import type { Program } from '../model/program.js';
import type { Signal } from '../model/signal.js';
import { findHidden } from '../model/unicode.js';
import { entryText } from '../policy/announced-entry.js';
import type { Upstream } from '../run/upstream/upstream.js';
import type { ListedPrompt, ListedResource, PromptArgument } from './host.js';
import type { PackageUpstreams } from './package-upstreams.js';
import type { Judged } from './readiness.js';
import type { Reading } from './reading.js';
import { packageOf } from './upstream-program.js';
import { type ProgramAnnouncement, upstreamPrograms } from './upstream-tools.js';

export interface UpstreamPrompt {
  readonly listed: ListedPrompt;
  readonly judged: Judged;
  readonly program: string;
  /** As the server calls it. */
  readonly own: string;
}

export interface UpstreamResource {
  readonly listed: ListedResource;
  readonly judged: Judged;
  readonly program: string;
  /** As the server calls it; of a template, with its holes. */
  readonly own: string;
}

const readMs = 30_000;
/** Bytes of one entry of a list. */
const maxEntry = 64 * 1024;
const scheme = 'upstream://';

export function upstreamPrompts(judged: readonly Judged[], announcing: PackageUpstreams): UpstreamPrompt[] {
  return offers(judged, announcing, 'prompts').flatMap(({ judged: it, program, entry, several }) => {
    const own = entry.name as string;
    const { id } = packageOf(it);
    const listed: ListedPrompt = {
      name: several ? `${id}_${program.name}_${own}` : `${id}_${own}`,
      package: id,
      kind: 'server',
      title: textIn(entry.title) ?? own,
      description: textIn(entry.description) ?? '',
      arguments: argumentsOf(entry.arguments),
      examples: [],
      tags: [],
    };
    return [{ listed, judged: it, program: program.name, own }];
  });
}

export function upstreamResources(
  judged: readonly Judged[],
  announcing: PackageUpstreams,
): UpstreamResource[] {
  const made = (kind: 'resources' | 'templates', member: 'uri' | 'uriTemplate') =>
    offers(judged, announcing, kind).map(({ judged: it, program, entry }): UpstreamResource => {
      const own = entry[member] as string;
      const { id } = packageOf(it);
      const uri = `${prefixOf(id, program.name)}${own}`;
      const isTemplate = kind === 'templates';
      return {
        listed: { uri, package: id, isTemplate, entry: { ...entry, [member]: uri } },
        judged: it,
        program: program.name,
        own,
      };
    });
  return [...made('resources', 'uri'), ...made('templates', 'uriTemplate')];
}

/** Who has a resource: the address says it; a bare one, such as a link in an answer, must be of one server alone. */
function holderOf(
  uri: string,
  known: readonly UpstreamResource[],
): { readonly holder: UpstreamResource; readonly own: string } | undefined {
  for (const holder of known) {
    const prefix = prefixOf(packageOf(holder.judged).id, holder.program);
    if (uri.startsWith(prefix)) return { holder, own: uri.slice(prefix.length) };
  }
  const exact = known.filter((it) => !it.listed.isTemplate && it.own === uri);
  const fitting =
    exact.length > 0 ? exact : known.filter((it) => it.listed.isTemplate && begins(uri, it.own));
  const [holder] = fitting;
  const sole = fitting.every((it) => it.judged === holder?.judged && it.program === holder.program);
  return holder === undefined || !sole ? undefined : { holder, own: uri };
}

/** Undefined when no server has it. */
export function resourceReading(
  uri: string,
  known: readonly UpstreamResource[],
  announcing: PackageUpstreams,
): Reading | undefined {
  const found = holderOf(uri, known);
  if (found === undefined) return undefined;
  const { judged, program } = found.holder;
  return {
    what: { of: packageOf(judged), file: judged.loaded.file, name: `resource:${found.own}` },
    program,
    screen: () => announcing.screen(judged, program, uri),
    read: (_given, signal) => readResource(found, uri, announcing, signal),
  };
}

/** The contents of a resource, under the address by which it was asked for. */
async function readResource(
  { holder, own }: { readonly holder: UpstreamResource; readonly own: string },
  asked: string,
  announcing: PackageUpstreams,
  signal: Signal,
): Promise<JsonObject> {
  const prefix = asked.startsWith(scheme) ? prefixOf(packageOf(holder.judged).id, holder.program) : '';
  const given = await announcing.read(holder.judged, holder.program, (remote) => {
    if (remote.resource === undefined) throw unable(holder.program, 'resources');
    return remote.resource(own, { timeoutMs: readMs, signal });
  });
  const contents = isObject(given) && Array.isArray(given.contents) ? given.contents.filter(isObject) : [];
  return {
    contents: contents.map((it) => ({ ...it, uri: `${prefix}${textIn(it.uri) ?? own}` })),
  };
}

/** What a prompt of a server says, with all its messages. */
export async function readPrompt(
  { judged, program, own }: UpstreamPrompt,
  given: JsonObject,
  announcing: PackageUpstreams,
  signal: Signal,
): Promise<JsonObject> {
  const said = await announcing.read(judged, program, (remote: Upstream) => {
    if (remote.prompt === undefined) throw unable(program, 'prompts');
    return remote.prompt(own, given, { timeoutMs: readMs, signal });
  });
  if (!isObject(said) || !Array.isArray(said.messages))
    throw new HostError('tool_bad_output', `${program} answered with something that is no prompt`);
  const description = textIn(said.description);
  return { ...(description === undefined ? {} : { description }), messages: said.messages };
}

/** The words of a prompt for whoever takes nothing but text. */
export function wordsOf({ messages }: JsonObject): string {
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  return list
    .flatMap(({ content }) => (isObject(content) && typeof content.text === 'string' ? [content.text] : []))
    .join('\n\n');
}

interface Offered {
  readonly judged: Judged;
  readonly program: Program;
  readonly entry: JsonObject;
  /** The package has more than one program that offers something. */
  readonly several: boolean;
}

function offers(
  judged: readonly Judged[],
  announcing: PackageUpstreams,
  kind: 'prompts' | 'resources' | 'templates',
): Offered[] {
  return judged.flatMap((it) => {
    const known = announcing.announcements(it);
    const programs = known.size === 0 ? [] : upstreamPrograms(packageOf(it));
    return programs
      .filter((program) => program.protocol === 'mcp')
      .flatMap((program) =>
        agreedOf(known.get(program.name), kind).map((entry) => ({
          judged: it,
          program,
          entry,
          several: programs.length > 1,
        })),
      );
  });
}

/** What reads otherwise by now waits for a review; what holds characters that nobody sees is never listed. */
function agreedOf(
  known: ProgramAnnouncement | undefined,
  kind: 'prompts' | 'resources' | 'templates',
): JsonObject[] {
  const now = known?.waiting?.[kind];
  const still = now === undefined ? undefined : new Set(now.map(entryText));
  return (known?.agreed[kind] ?? []).filter((it) => {
    const text = canonicalJson(it);
    const isSame = still === undefined || still.has(entryText(it));
    return isSame && text.length <= maxEntry && [...findHidden(text)].length === 0;
  });
}

function argumentsOf(given: Json | undefined): PromptArgument[] {
  const list = Array.isArray(given) ? given.filter(isObject) : [];
  return list.flatMap(({ name, description, required }) =>
    typeof name === 'string'
      ? [{ name, description: textIn(description) ?? '', required: required === true }]
      : [],
  );
}

function prefixOf(id: string, program: string): string {
  return `${scheme}${encodeURIComponent(id)}/${encodeURIComponent(program)}/`;
}

/** Whether an address begins as a template does, before its first hole. */
function begins(uri: string, template: string): boolean {
  const literal = template.split('{', 1)[0] as string;
  return literal.length > 0 && uri.startsWith(literal);
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function unable(program: string, what: string): HostError {
  return new HostError('not_supported', `${program} has no ${what}`);
}
