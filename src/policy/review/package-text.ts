import { isObject, type Json, tryParseStored } from '../../model/json.js';
import type { Package, Prompt } from '../../model/package.js';
import type { Slot } from '../../model/slot.js';
import type { Tool } from '../../model/tool.js';
import { templateText } from './request-text.js';
import { type VisibleText, visibleJsonText, visibleSchemaText } from './visible-text.js';

/** Reads a text file of the package; undefined when it cannot be read. */
export type ReadPackageFile = (path: string) => string | undefined;

/**
 * Everything that models and people read about a package. Version, dates and code are left out: they change with every
 * edit and are not shown as promises.
 */
export function packageTextOf(pkg: Package, read: ReadPackageFile): VisibleText[] {
  const subject = 'the package';
  return [
    ...text(subject, 'the name', pkg.name),
    ...text(subject, 'the description', pkg.description),
    ...text(subject, 'the format', pkg.format),
    ...pkg.permissions.scopes.map((it) => ({
      subject,
      place: `the reason for ${it.resource} (${[...it.verbs].sort().join(', ')})`,
      text: it.rationale,
    })),
    ...pkg.needs.binaries.map((it) => ({ subject, place: `the required program ${it}`, text: it })),
    ...text(subject, 'the minimum host version', pkg.needs.hostVersion),
    ...pkg.targets.map((it) => ({ subject, place: `the client ${it}`, text: it })),
    ...(pkg.notServed ?? []).flatMap((it) => visibleJsonText(subject, `the list of ${it.label}`, it.value)),
    ...pkg.facts.flatMap((it) => visibleJsonText(subject, `the fact ${it.label}`, it.value)),
    ...(pkg.cost === undefined ? [] : visibleJsonText(subject, 'the cost', pkg.cost as unknown as Json)),
    ...text(
      subject,
      'the page that explains how to revoke access',
      pkg.killSwitch?.kind === 'manual' ? pkg.killSwitch.instructionsUrl : undefined,
    ),
    ...visibleSchemaText(subject, 'the schema of its results', pkg.guardrails.output.schema),
    ...pkg.hooks.map((it) => ({
      subject,
      place: `the priority of the hook ${it.point} of ${it.program}`,
      text: String(it.priority),
    })),
    ...pkg.programs.flatMap((it) => [
      { subject: `the program ${it.name}`, place: 'the role', text: it.role },
      { subject: `the program ${it.name}`, place: 'the lifetime', text: it.lifetime },
    ]),
    ...pkg.tools.flatMap((it) => toolText(pkg, it)),
    ...pkg.prompts.flatMap((it) => promptText(it, read)),
    ...pkg.slots.flatMap(slotText),
  ];
}

/** Parses the stored text; undefined when it is invalid. */
export function parsePackageText(stored: string): readonly VisibleText[] | undefined {
  const value = tryParseStored(stored);
  const isValid =
    Array.isArray(value) &&
    value.every(
      (it) => isObject(it) && ['subject', 'place', 'text'].every((name) => typeof it[name] === 'string'),
    );
  return isValid ? (value as unknown as readonly VisibleText[]) : undefined;
}

function toolText(pkg: Package, tool: Tool): VisibleText[] {
  const subject = `the tool ${tool.name}`;
  return [
    ...text(subject, 'the description', tool.description),
    ...text(subject, 'the origin of its effect', tool.effectDeclared ? 'declared' : 'assumed'),
    ...visibleSchemaText(subject, 'the input', tool.input),
    ...visibleSchemaText(subject, 'the output', tool.output),
    ...visibleSchemaText(subject, 'the description of its output', tool.describedOutput),
    ...visibleJsonText(subject, 'the annotations', independentHints(pkg, tool)),
    ...tool.examples.flatMap((it) => visibleJsonText(subject, 'an example', it as unknown as Json)),
    ...(tool.action?.kind === 'prompt' ? text(subject, 'the text', templateText(tool.action.template)) : []),
  ];
}

/** Annotations without those that only repeat what the host derived itself: that is compared separately. */
function independentHints(pkg: Package, { annotations, effect, idempotent }: Tool): Json {
  const derived: Readonly<Record<string, boolean>> = {
    readOnlyHint: effect === 'none' || effect === 'read',
    destructiveHint: effect === 'destructive',
    idempotentHint: idempotent,
    openWorldHint: pkg.permissions.network.kind !== 'none',
  };
  return Object.fromEntries(
    Object.entries(annotations).filter(([name, hint]) => !(name in derived && derived[name] === hint)),
  ) as Json;
}

/** A stored text is not part of the package: the operator chooses the place that has it. */
function bodyText({ body }: Prompt, read: ReadPackageFile): string | undefined {
  switch (body.kind) {
    case 'text':
      return body.text;
    case 'file':
      return read(body.path);
    case 'stored':
      return `${body.slot}: ${body.keys.join(', ')}`;
  }
}

function promptText(prompt: Prompt, read: ReadPackageFile): VisibleText[] {
  const subject = `the ${prompt.kind === 'skill' ? 'skill' : 'prompt'} ${prompt.name}`;
  return [
    ...text(subject, 'the title', prompt.title),
    ...text(subject, 'the description', prompt.description),
    ...text(subject, 'the text', bodyText(prompt, read)),
    ...prompt.examples.map((it) => ({ subject, place: 'an example', text: it })),
    ...prompt.tags.map((it) => ({ subject, place: 'a tag', text: it })),
    ...text(subject, 'the position in lists', prompt.first ? 'first' : 'any'),
  ];
}

function slotText(slot: Slot): VisibleText[] {
  const subject = `the value ${slot.name}`;
  return [
    ...text(subject, 'the label', slot.label),
    ...text(subject, 'the question', slot.prompt),
    ...text(subject, 'the page where to get it', slot.obtainUrl),
    ...text(subject, 'whether it is required', slot.required ? 'required' : 'optional'),
    ...text(subject, 'how it is entered', slot.plainEntry === true ? 'shown' : 'hidden'),
    ...text(subject, 'the kind', slot.type),
    ...text(subject, 'the pattern', slot.pattern),
    ...(slot.choices ?? []).map((it) => ({ subject, place: 'a choice', text: it })),
  ];
}

function text(subject: string, place: string, value: string | undefined): VisibleText[] {
  return value === undefined ? [] : [{ subject, place, text: value }];
}
