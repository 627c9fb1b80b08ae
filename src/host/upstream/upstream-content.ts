// Prompts and resources of upstream MCP servers: listed from the accepted announcement, read from the server.

import { isAppAddress } from '../../model/app-resource.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { withoutReservedMeta } from '../../model/reserved-meta.js';
import type { AskedClient } from '../../run/run.js';
import type { ListedPrompt, ListedResource, PromptArgument } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { acceptedEntries } from './accepted-entries.js';
import { matchesTemplate } from './announcement-difference.js';
import type { PackageUpstreams } from './package-upstreams.js';
import type { ReadableContent } from './readable-content.js';
import { acceptedPages } from './upstream-apps.js';
import { linkPrefix, messagesWithReadableLinks, ownAddress, readableAddress } from './upstream-links.js';
import { packageOf } from './upstream-program.js';
import { withUsableIcons } from './usable-icons.js';

export interface UpstreamPrompt {
  readonly listed: ListedPrompt;
  readonly checked: CheckedPackage;
  readonly program: string;
  /** The server's own name for it. */
  readonly upstreamName: string;
}

export interface UpstreamResource {
  readonly listed: ListedResource;
  readonly checked: CheckedPackage;
  readonly program: string;
  /** The server's own URI, or URI template. */
  readonly upstreamUri: string;
}

/** Its server may ask a person meanwhile. */
const readTimeoutMs = 60_000;

export function upstreamPrompts(
  packages: readonly CheckedPackage[],
  upstreams: PackageUpstreams,
): UpstreamPrompt[] {
  return acceptedEntries(packages, upstreams, 'prompts').map(({ checked, program, entry, several }) => {
    const upstreamName = entry.name as string;
    const { id } = packageOf(checked);
    const listed: ListedPrompt = {
      name: several ? `${id}_${program.name}_${upstreamName}` : `${id}_${upstreamName}`,
      package: id,
      kind: 'server',
      title: textIn(entry.title) ?? upstreamName,
      description: textIn(entry.description) ?? '',
      arguments: argumentsOf(entry.arguments),
      entry: withUsableIcons(entry),
      examples: [],
      tags: [],
    };
    return { listed, checked, program: program.name, upstreamName };
  });
}

export function upstreamResources(
  packages: readonly CheckedPackage[],
  upstreams: PackageUpstreams,
): UpstreamResource[] {
  const listKind = (kind: 'resources' | 'templates', member: 'uri' | 'uriTemplate') =>
    acceptedEntries(packages, upstreams, kind).map(({ checked, program, entry }): UpstreamResource => {
      const upstreamUri = entry[member] as string;
      const { id } = packageOf(checked);
      const uri = readableAddress(linkPrefix(id, program.name), upstreamUri);
      const isTemplate = kind === 'templates';
      return {
        listed: { uri, package: id, isTemplate, entry: { ...withUsableIcons(entry), [member]: uri } },
        checked,
        program: program.name,
        upstreamUri,
      };
    });
  return [...listKind('resources', 'uri'), ...listKind('templates', 'uriTemplate')];
}

/** A resource of one upstream. `upstreamUri`: the URI to request from it. */
interface LocatedResource {
  readonly checked: CheckedPackage;
  readonly program: string;
  readonly upstreamUri: string;
  /** Put in front of addresses in the answer; empty if the server's own address was requested. */
  readonly prefix: string;
}

/**
 * Finds the upstream of a resource. Our own URIs name it. A URI of a server, such as a link in a result, is located
 * only if exactly one upstream has it.
 */
function locate(
  uri: string,
  packages: readonly CheckedPackage[],
  upstreams: PackageUpstreams,
): LocatedResource | undefined {
  const link = locateLink(uri, packages, upstreams);
  if (link !== undefined) return link;
  const known = upstreamResources(packages, upstreams);
  const exact = known.filter((it) => !it.listed.isTemplate && it.upstreamUri === uri);
  const matches =
    exact.length > 0
      ? exact
      : known.filter((it) => it.listed.isTemplate && matchesTemplate(uri, it.upstreamUri));
  const [first] = matches;
  const isUnique = matches.every((it) => it.checked === first?.checked && it.program === first.program);
  if (first === undefined || !isUnique) return undefined;
  return { checked: first.checked, program: first.program, upstreamUri: uri, prefix: '' };
}

/** The server that one of our URIs names, also if it lists no resources: it may link to some in its results. */
function locateLink(
  uri: string,
  packages: readonly CheckedPackage[],
  upstreams: PackageUpstreams,
): LocatedResource | undefined {
  for (const checked of packages) {
    for (const program of upstreams.announcements(checked).keys()) {
      const prefix = linkPrefix(packageOf(checked).id, program);
      const upstreamUri = ownAddress(prefix, uri);
      if (upstreamUri !== undefined) return { checked, program, upstreamUri, prefix };
    }
  }
  return undefined;
}

/** Undefined if no upstream has the resource. */
export function resourceReading(
  uri: string,
  packages: readonly CheckedPackage[],
  upstreams: PackageUpstreams,
): ReadableContent | undefined {
  const located = locate(uri, packages, upstreams);
  if (located === undefined) return undefined;
  const { checked, program } = located;
  return {
    target: {
      package: packageOf(checked),
      file: checked.loaded.file,
      name: `resource:${located.upstreamUri}`,
    },
    program,
    checkForSecrets: (request) => upstreams.checkForSecrets(checked, program, [uri, request]),
    read: (_args, signal, client) => readResource(located, upstreams, signal, client),
    watch: (onUpdate, signal) => {
      const deadline = { timeoutMs: readTimeoutMs, signal };
      const update = (it: string) => onUpdate(addressFor(located, it));
      return upstreams.watch(checked, program, located.upstreamUri, update, deadline);
    },
    complete: (request, signal) => {
      const ref = { type: 'ref/resource', uri: located.upstreamUri };
      return completeArgument(located, ref, request, upstreams, signal);
    },
  };
}

/** An address of the server as it was asked for: its own, or one of ours. */
function addressFor({ prefix }: LocatedResource, uri: string): string {
  return prefix === '' ? uri : readableAddress(prefix, uri);
}

/** The contents of a resource. If one of our URIs was requested, the URIs in the result are too. */
async function readResource(
  located: LocatedResource,
  upstreams: PackageUpstreams,
  signal: CancelSignal,
  client: AskedClient | undefined,
): Promise<JsonObject> {
  const { checked, program, upstreamUri } = located;
  const isApp = isAppAddress(upstreamUri);
  const deadline = { timeoutMs: readTimeoutMs, signal };
  const result = await upstreams.read(
    checked,
    program,
    // A page is asked for like when it was announced, so that it is the same one.
    (upstream, asked) =>
      upstream.resource(upstreamUri, deadline, isApp ? { ...asked, apps: 'shown', meta: undefined } : asked),
    client,
    // A page without a secret that was in it would not be the one that was accepted.
    isApp ? 'unchanged' : 'cleaned',
  );
  const contents = isObject(result) && Array.isArray(result.contents) ? result.contents.filter(isObject) : [];
  return {
    contents: contents.map((it) => ({ ...it, uri: addressFor(located, textIn(it.uri) ?? upstreamUri) })),
    ...metaOf(result),
  };
}

/** Gets a prompt from its upstream, with all messages. */
export async function readPrompt(
  { checked, program, upstreamName }: UpstreamPrompt,
  args: JsonObject,
  upstreams: PackageUpstreams,
  signal: CancelSignal,
  client: AskedClient | undefined,
): Promise<JsonObject> {
  const deadline = { timeoutMs: readTimeoutMs, signal };
  const result = await upstreams.read(
    checked,
    program,
    (upstream, asked) => upstream.prompt(upstreamName, args, deadline, asked),
    client,
  );
  if (!isObject(result) || !Array.isArray(result.messages))
    throw new HostError('tool_bad_output', `${program} answered with something that is not a prompt`);
  const description = textIn(result.description);
  const prefix = linkPrefix(packageOf(checked).id, program);
  return {
    ...(description === undefined ? {} : { description }),
    messages: messagesWithReadableLinks(
      result.messages,
      prefix,
      acceptedPages(() => upstreams.announcements(checked).get(program)),
    ),
    ...metaOf(result),
  };
}

export function completePrompt(
  prompt: UpstreamPrompt,
  request: JsonObject,
  upstreams: PackageUpstreams,
  signal: CancelSignal,
): Promise<JsonObject> {
  return completeArgument(
    prompt,
    { type: 'ref/prompt', name: prompt.upstreamName },
    request,
    upstreams,
    signal,
  );
}

async function completeArgument(
  { checked, program }: Pick<LocatedResource, 'checked' | 'program'>,
  ref: JsonObject,
  { argument = {}, known = {} }: JsonObject,
  upstreams: PackageUpstreams,
  signal: CancelSignal,
): Promise<JsonObject> {
  const context = Object.keys(known as JsonObject).length === 0 ? {} : { context: { arguments: known } };
  const result = await upstreams.read(checked, program, (upstream) =>
    upstream.complete({ ref, argument, ...context }, { timeoutMs: readTimeoutMs, signal }),
  );
  return isObject(result) ? result : {};
}

/** The metadata of a result, without that of the protocol and of the host. */
function metaOf(result: Json): JsonObject {
  const meta = isObject(result) && isObject(result._meta) ? withoutReservedMeta(result._meta) : {};
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

/** The text of a prompt, without images and other content. */
export function promptTextOf({ messages }: JsonObject): string {
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  return list
    .flatMap(({ content }) => (isObject(content) && typeof content.text === 'string' ? [content.text] : []))
    .join('\n\n');
}

function argumentsOf(value: Json | undefined): PromptArgument[] {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.flatMap(({ name, description, required }) =>
    typeof name === 'string'
      ? [{ name, description: textIn(description) ?? '', required: required === true }]
      : [],
  );
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
