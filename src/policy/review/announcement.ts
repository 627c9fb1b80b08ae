// What changed between two announcements of a program's tools. Every change needs a new review.
import type { AnnouncedTool } from '../../model/action.js';
import { canonicalJson, type Json } from '../../model/json.js';
import {
  type TextChanges,
  type TextDifference,
  textChanges,
  type VisibleText,
  visibleJsonText,
  visibleSchemaText,
  withoutOrder,
} from './visible-text.js';

/** One sentence for each tool that was added, renamed or removed, and for each text of a tool that changed. */
export function announcedToolChanges(
  before: readonly AnnouncedTool[],
  after: readonly AnnouncedTool[],
): readonly string[] {
  const had = new Set(before.map((it) => it.name));
  const has = new Set(after.map((it) => it.name));
  const lost = before.filter((it) => !has.has(it.name));
  const renamed = new Map<string, string>();
  for (const now of after.filter((it) => !had.has(it.name))) {
    const twin = lost.find((it) => !renamed.has(it.name) && textWithoutName(it) === textWithoutName(now));
    if (twin !== undefined) renamed.set(twin.name, now.name);
  }
  const newNames = new Set(renamed.values());
  const added = after.filter((it) => !had.has(it.name) && !newNames.has(it.name));
  return [
    ...sorted([...renamed].map(([old, now]) => `the tool ${quoted(old)} is now called ${quoted(now)}`)),
    ...sorted(
      added.map((it) => `the tool ${quoted(it.name)} is new: ${JSON.stringify(it.description ?? '')}`),
    ),
    ...sorted(lost.flatMap((it) => (renamed.has(it.name) ? [] : [`the tool ${quoted(it.name)} is gone`]))),
    ...keptTools(before, after).changed,
  ];
}

/** The texts of tools that differ, as pairs. */
export function announcedTextDifferences(
  before: readonly AnnouncedTool[],
  after: readonly AnnouncedTool[],
): readonly TextDifference[] {
  return keptTools(before, after).differences;
}

/** What changed in the tools that both announcements have. */
function keptTools(before: readonly AnnouncedTool[], after: readonly AnnouncedTool[]): TextChanges {
  const had = new Set(before.map((it) => it.name));
  const has = new Set(after.map((it) => it.name));
  return textChanges(
    before.filter((it) => has.has(it.name)).flatMap(visibleTextOf),
    after.filter((it) => had.has(it.name)).flatMap(visibleTextOf),
  );
}

/** Everything that a program announces about a tool, as one text. Orders without a meaning do not change it. */
export function announcedToolText({ input, output, ...rest }: AnnouncedTool): string {
  return canonicalJson({
    ...rest,
    ...(input === undefined ? {} : { input: withoutOrder(input) }),
    ...(output === undefined ? {} : { output: withoutOrder(output) }),
  } as unknown as Json);
}

/** Everything that clients and models read about a tool. */
function visibleTextOf(tool: AnnouncedTool): VisibleText[] {
  const subject = `the tool ${quoted(tool.name)}`;
  const text = (place: string, value: string | undefined) =>
    value === undefined ? [] : [{ subject, place, text: value }];
  return [
    ...text('the title', tool.title),
    ...text('the description', tool.description),
    ...visibleSchemaText(subject, 'the input', tool.input),
    ...visibleSchemaText(subject, 'the output', tool.output),
    ...(tool.annotations === undefined ? [] : visibleJsonText(subject, 'the annotations', tool.annotations)),
    ...(tool.icons === undefined ? [] : visibleJsonText(subject, 'the icons', tool.icons as Json)),
    ...(tool.execution === undefined ? [] : visibleJsonText(subject, 'the execution', tool.execution)),
    ...(tool.meta === undefined ? [] : visibleJsonText(subject, 'the metadata', tool.meta)),
  ];
}

/** The text of a tool without its name: equal texts mean that the tool was renamed. */
function textWithoutName(tool: AnnouncedTool): string {
  const texts = visibleTextOf({ ...tool, name: '' }).map(({ place, text }) => canonicalJson([place, text]));
  return canonicalJson(texts.sort() as Json);
}

/** Quotes a name with unusual characters, so that it cannot look like another name or like two. */
function quoted(name: string): string {
  return /^[\w.:/-]+$/.test(name) ? name : JSON.stringify(name);
}

function sorted(sentences: readonly string[]): string[] {
  return [...sentences].sort();
}
