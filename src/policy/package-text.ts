import { isObject, type Json } from '../model/json.js';
import type { Package, Prompt } from '../model/package.js';
import type { Slot } from '../model/slot.js';
import type { Tool } from '../model/tool.js';
import { templateText } from './request-text.js';
import { jsonWording, schemaWording, type Wording } from './wording.js';

/** The text of a file of the package; undefined when it cannot be read. */
export type ReadText = (path: string) => string | undefined;

/**
 * All that a model or a person reads of a package, whichever surface shows it. Its version, its times and its code are
 * not part of it: they change with every edit, and promise nothing.
 */
export function packageTextOf(of: Package, read: ReadText): Wording[] {
  const subject = 'the package';
  return [
    ...text(subject, 'the name', of.name),
    ...text(subject, 'the description', of.description),
    ...text(subject, 'the format', of.format),
    ...of.permissions.scopes.map((it) => ({
      subject,
      place: `the reason for ${it.resource} (${[...it.verbs].sort().join(', ')})`,
      text: it.rationale,
    })),
    ...of.needs.binaries.map((it) => ({ subject, place: `the need for ${it}`, text: it })),
    ...text(subject, 'the lowest version of the host', of.needs.hostVersion),
    ...of.targets.map((it) => ({ subject, place: `the client ${it}`, text: it })),
    ...of.facts.flatMap((it) => jsonWording(subject, `the entry ${it.label}`, it.value)),
    ...(of.cost === undefined ? [] : jsonWording(subject, 'the cost', of.cost as unknown as Json)),
    ...text(
      subject,
      'the place that says how to take access back',
      of.killSwitch?.kind === 'manual' ? of.killSwitch.instructionsUrl : undefined,
    ),
    ...schemaWording(subject, 'the bound on its answers', of.guardrails.output.schema),
    ...of.hooks.map((it) => ({
      subject,
      place: `the turn at ${it.point} of ${it.program}`,
      text: String(it.priority),
    })),
    ...of.programs.flatMap((it) => [
      { subject: `the program ${it.name}`, place: 'the role', text: it.role },
      { subject: `the program ${it.name}`, place: 'the time it runs', text: it.lifetime },
    ]),
    ...of.tools.flatMap((it) => toolWords(of, it)),
    ...of.prompts.flatMap((it) => promptWords(it, read)),
    ...of.slots.flatMap(slotWords),
  ];
}

/** What was kept; undefined when it is not of our making. */
export function readPackageText(kept: string): readonly Wording[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(kept);
  } catch {
    return undefined;
  }
  const sound =
    Array.isArray(value) &&
    value.every(
      (it) => isObject(it) && ['subject', 'place', 'text'].every((name) => typeof it[name] === 'string'),
    );
  return sound ? (value as unknown as readonly Wording[]) : undefined;
}

function toolWords(of: Package, tool: Tool): Wording[] {
  const subject = `the tool ${tool.name}`;
  return [
    ...text(subject, 'the description', tool.description),
    ...text(subject, 'the origin of its effect', tool.effectDeclared ? 'declared' : 'assumed'),
    ...schemaWording(subject, 'the input', tool.input),
    ...schemaWording(subject, 'the output', tool.output),
    ...jsonWording(subject, 'the annotations', ownHints(of, tool)),
    ...tool.examples.flatMap((it) => jsonWording(subject, 'an example', it as unknown as Json)),
    ...(tool.action?.kind === 'prompt' ? text(subject, 'the text', templateText(tool.action.template)) : []),
  ];
}

/** Hints that only repeat what the host judged itself say nothing more: that judgment is compared on its own. */
function ownHints(of: Package, { annotations, effect, idempotent }: Tool): Json {
  const judged: Readonly<Record<string, boolean>> = {
    readOnlyHint: effect === 'none' || effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: idempotent,
    openWorldHint: of.permissions.network.kind !== 'none',
  };
  return Object.fromEntries(
    Object.entries(annotations).filter(([name, hint]) => !(name in judged && judged[name] === hint)),
  ) as Json;
}

function promptWords(prompt: Prompt, read: ReadText): Wording[] {
  const subject = `the ${prompt.kind === 'skill' ? 'skill' : 'prompt'} ${prompt.name}`;
  const { body } = prompt;
  return [
    ...text(subject, 'the title', prompt.title),
    ...text(subject, 'the description', prompt.description),
    ...text(subject, 'the text', body.kind === 'text' ? body.text : read(body.path)),
    ...prompt.examples.map((it) => ({ subject, place: 'an example', text: it })),
    ...prompt.tags.map((it) => ({ subject, place: 'a tag', text: it })),
    ...text(subject, 'the place in lists', prompt.first ? 'first' : 'any'),
  ];
}

function slotWords(slot: Slot): Wording[] {
  const subject = `the value ${slot.name}`;
  return [
    ...text(subject, 'the label', slot.label),
    ...text(subject, 'the question', slot.prompt),
    ...text(subject, 'the page to get it from', slot.obtainUrl),
    ...text(subject, 'the need for it', slot.required ? 'required' : 'optional'),
    ...text(subject, 'the way it is typed', slot.plainEntry === true ? 'shown' : 'hidden'),
    ...text(subject, 'the kind', slot.type),
    ...text(subject, 'the pattern', slot.pattern),
    ...(slot.choices ?? []).map((it) => ({ subject, place: 'a choice', text: it })),
  ];
}

function text(subject: string, place: string, value: string | undefined): Wording[] {
  return value === undefined ? [] : [{ subject, place, text: value }];
}
