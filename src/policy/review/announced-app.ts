// The pages of MCP Apps that a server announces: what they may reach, and how they changed.
import type { AnnouncedApp } from '../../model/app-resource.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';

/** Apps with a page that was not accepted. One that cannot be read now says nothing about a change. */
export function changedApps(
  before: readonly AnnouncedApp[] = [],
  after: readonly AnnouncedApp[] = [],
): readonly AnnouncedApp[] {
  const known = new Map(before.map((it) => [it.uri, it.content]));
  return after.filter((it) => it.content !== undefined && known.get(it.uri) !== it.content);
}

/** One or two sentences for each app that is new, changed or gone. */
export function appChanges(
  before: readonly AnnouncedApp[] = [],
  after: readonly AnnouncedApp[] = [],
): readonly string[] {
  const known = new Map(before.map((it) => [it.uri, it]));
  const changed = changedApps(before, after).flatMap((it) => {
    const old = known.get(it.uri);
    const subject = `the app ${JSON.stringify(it.uri)}`;
    if (old?.content === undefined) return [`${subject} is new: ${appText(it)}`];
    const reach =
      canonicalJson(old.ui ?? {}) === canonicalJson(it.ui ?? {}) ? [] : [`${subject} now ${reachText(it)}`];
    return [`${subject} has another page: ${old.length ?? 0} → ${it.length ?? 0} characters`, ...reach];
  });
  const kept = new Set(after.map((it) => it.uri));
  const gone = before.filter((it) => !kept.has(it.uri));
  return [...changed, ...gone.map((it) => `the app ${JSON.stringify(it.uri)} is gone`)];
}

/** What an app is and may reach, for people. */
export function appText(app: AnnouncedApp): string {
  if (app.content === undefined) return 'its page cannot be read, so it is not shown';
  return `a page of ${(app.length ?? 0).toLocaleString('en')} characters that ${reachText(app)}`;
}

const lists = {
  connectDomains: 'connects to',
  resourceDomains: 'loads from',
  frameDomains: 'shows pages of',
  baseUriDomains: 'resolves links at',
} as const;

function reachText({ ui = {} }: AnnouncedApp): string {
  const csp = isObject(ui.csp) ? ui.csp : {};
  const reach = Object.entries(lists).flatMap(([key, verb]) => {
    const hosts = textsIn(csp[key]);
    return hosts.length === 0 ? [] : [`${verb} ${hosts.join(', ')}`];
  });
  const wanted = isObject(ui.permissions) ? Object.keys(ui.permissions) : [];
  const domain = typeof ui.domain === 'string' ? [`has the origin ${JSON.stringify(ui.domain)}`] : [];
  const permissions =
    wanted.length === 0 ? [] : [`asks for ${wanted.map((it) => JSON.stringify(it)).join(', ')}`];
  const all = [...reach, ...permissions, ...domain];
  return all.length === 0 ? 'reaches no network' : all.join('; ');
}

function textsIn(value: JsonObject[string] | undefined): string[] {
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  return list.map((it) => JSON.stringify(it));
}
