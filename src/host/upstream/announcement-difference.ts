// Compares an announcement with the accepted one. Orders without a meaning are not a difference.
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import { changedApps } from '../../policy/review/announced-app.js';
import { entryText } from '../../policy/review/announced-entry.js';
import { announcedToolText } from '../../policy/review/announcement.js';
import type { UpstreamAnnouncement } from '../../run/upstream/upstream.js';

/** A part of an announcement that a request uses. `name`: of a resource its URI. */
export interface AnnouncedPart {
  readonly kind: 'tool' | 'hook' | 'prompt' | 'resource';
  readonly name: string;
}

/** `missing`: accepted, but no longer announced. `changed`: announced differently, or never accepted. */
export type PartDifference = 'none' | 'changed' | 'missing';

/** Whether a program still announces a part as it was accepted. */
export function partDifference(
  agreed: UpstreamAnnouncement,
  announced: UpstreamAnnouncement,
  { kind, name }: AnnouncedPart,
): PartDifference {
  const [before, after] = [agreed, announced];
  switch (kind) {
    case 'tool': {
      const texts = ({ tools }: UpstreamAnnouncement) =>
        tools.filter((it) => it.name === name).map(announcedToolText);
      return differenceOf(texts(before), texts(after));
    }
    case 'hook': {
      const points = ({ hooks }: UpstreamAnnouncement) => hooks.filter((it) => it === name);
      return differenceOf(points(before), points(after));
    }
    case 'prompt': {
      const texts = ({ prompts = [] }: UpstreamAnnouncement) =>
        prompts.filter((it) => it.name === name).map(entryText);
      return differenceOf(texts(before), texts(after));
    }
    case 'resource': {
      const texts = (it: UpstreamAnnouncement) => resourceTexts(it, name);
      // An address that no list contains: the program gave it out in a result.
      if (texts(before).length === 0 && texts(after).length === 0) return 'none';
      return differenceOf(texts(before), texts(after));
    }
  }
}

/** The entry of a resource and the templates that it matches. */
function resourceTexts({ resources = [], templates = [] }: UpstreamAnnouncement, uri: string): string[] {
  return [
    ...resources.filter((it) => it.uri === uri),
    ...templates.filter((it) => matchesTemplate(uri, String(it.uriTemplate))),
  ].map(entryText);
}

/** Whether a URI begins with the literal part of a URI template, before its first `{`. */
export function matchesTemplate(uri: string, template: string): boolean {
  const literal = template.split('{', 1)[0] as string;
  return literal.length > 0 && uri.startsWith(literal);
}

/** Everything that is announced must have been accepted. */
function differenceOf(before: readonly string[], after: readonly string[]): PartDifference {
  if (after.length === 0) return 'missing';
  return after.every((it) => before.includes(it)) ? 'none' : 'changed';
}

/**
 * What counts as accepted after a new announcement; null if it needs review. A change that needs no review is accepted:
 * a size, a version, a removed resource. Parts that differ only in order stay as they were, so that approvals stay valid.
 */
export function acceptedAfter(
  agreed: UpstreamAnnouncement,
  announced: UpstreamAnnouncement,
): UpstreamAnnouncement | null {
  if (requiresReview(agreed, announced)) return null;
  const { tools, hooks, prompts, apps } = agreed;
  const { apps: _, ...rest } = announced;
  const kept = { ...(prompts === undefined ? {} : { prompts }), ...(apps === undefined ? {} : { apps }) };
  return { ...rest, tools, hooks, ...kept };
}

/** Whether the text for models and people changed, or what the program offers. Removed resources need no review. */
function requiresReview(agreed: UpstreamAnnouncement, announced: UpstreamAnnouncement): boolean {
  if (reviewedParts(agreed) !== reviewedParts(announced)) return true;
  if (changedApps(agreed.apps, announced.apps).length > 0) return true;
  return (['resources', 'templates'] as const).some((kind) => {
    const known = new Set((agreed[kind] ?? []).map(entryText));
    return (announced[kind] ?? []).some((it) => !known.has(entryText(it)));
  });
}

/** Without the version: a new version number alone needs no review. */
function reviewedParts({ tools, hooks, prompts = [], instructions = '' }: UpstreamAnnouncement): string {
  const parts = [
    tools.map(announcedToolText).sort(),
    [...hooks].sort(),
    prompts.map(entryText).sort(),
    instructions,
  ];
  return canonicalJson(parts);
}

/** An announcement as one text; equal texts are the same announcement. */
export function announcementText(announced: UpstreamAnnouncement): string {
  return canonicalJson(announced as unknown as Json);
}

export function parseAnnouncement(text: string): UpstreamAnnouncement {
  return JSON.parse(text) as JsonObject as unknown as UpstreamAnnouncement;
}
