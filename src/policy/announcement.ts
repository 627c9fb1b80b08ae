// What changed between two times that a program announced its tools. Every line is a reason to ask a person again.
import type { AnnouncedTool } from '../model/action.js';
import { canonicalJson, type Json } from '../model/json.js';
import { jsonWording, rewording, schemaWording, type Wording } from './wording.js';

/** A sentence for each tool that was added, renamed or removed, and for each text of a tool that reads differently. */
export function announcedChanges(
  before: readonly AnnouncedTool[],
  after: readonly AnnouncedTool[],
): readonly string[] {
  const had = new Set(before.map((it) => it.name));
  const has = new Set(after.map((it) => it.name));
  const lost = before.filter((it) => !has.has(it.name));
  const renamed = new Map<string, string>();
  for (const now of after.filter((it) => !had.has(it.name))) {
    const twin = lost.find((it) => !renamed.has(it.name) && selfText(it) === selfText(now));
    if (twin !== undefined) renamed.set(twin.name, now.name);
  }
  const newNames = new Set(renamed.values());
  const added = after.filter((it) => !had.has(it.name) && !newNames.has(it.name));
  return [
    ...sorted([...renamed].map(([old, now]) => `the tool ${quoted(old)} is called ${quoted(now)} now`)),
    ...sorted(
      added.map((it) => `the tool ${quoted(it.name)} is new: ${JSON.stringify(it.description ?? '')}`),
    ),
    ...sorted(lost.flatMap((it) => (renamed.has(it.name) ? [] : [`the tool ${quoted(it.name)} is gone`]))),
    ...rewording(
      before.filter((it) => has.has(it.name)).flatMap(wordsOf),
      after.filter((it) => had.has(it.name)).flatMap(wordsOf),
    ).changed,
  ];
}

/** Everything that clients and models are told of it. */
function wordsOf(tool: AnnouncedTool): Wording[] {
  const subject = `the tool ${quoted(tool.name)}`;
  const text = (place: string, value: string | undefined) =>
    value === undefined ? [] : [{ subject, place, text: value }];
  return [
    ...text('the title', tool.title),
    ...text('the description', tool.description),
    ...schemaWording(subject, 'the input', tool.input),
    ...schemaWording(subject, 'the output', tool.output),
    ...(tool.annotations === undefined ? [] : jsonWording(subject, 'the annotations', tool.annotations)),
    ...(tool.meta === undefined ? [] : jsonWording(subject, 'the metadata', tool.meta)),
  ];
}

/** The same tool under another name. */
function selfText(tool: AnnouncedTool): string {
  const words = wordsOf({ ...tool, name: '' }).map(({ place, text }) => canonicalJson([place, text]));
  return canonicalJson(words.sort() as Json);
}

/** A plain name as it is; one with anything odd in it cannot pass for another, or for two. */
function quoted(name: string): string {
  return /^[\w.:/-]+$/.test(name) ? name : JSON.stringify(name);
}

function sorted(lines: readonly string[]): string[] {
  return [...lines].sort();
}
