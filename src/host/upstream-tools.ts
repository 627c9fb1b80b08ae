// What programs said of themselves, turned into tools. Everything here was written by a stranger and is read by a model.
import { schemaProblem } from '../formats/foreign-schema.js';
import type { AnnouncedTool } from '../model/action.js';
import { canonicalJson, isObject, type JsonObject, type JsonSchema } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Program } from '../model/program.js';
import type { Annotations, Tool } from '../model/tool.js';
import { codePointName, findHidden } from '../model/unicode.js';
import { leavesOf } from '../policy/scan/leaves.js';
import type { UpstreamAnnouncement } from '../run/upstream/upstream.js';

/** What somebody agreed to, and what the program said last where that is something else. */
export interface ProgramAnnouncement {
  readonly agreed: UpstreamAnnouncement;
  readonly waiting: UpstreamAnnouncement | null;
}

export interface OfferedTool {
  readonly tool: Tool;
  /** The program says something else of it by now, and nobody agreed to that. */
  readonly held: boolean;
}

export interface Offer {
  readonly tools: readonly OfferedTool[];
  /** What is not offered, and why, for whoever looks at the package. */
  readonly remarks: readonly string[];
}

const maxTools = 2000;
const maxDescription = 16 * 1024;
/** How long an extension may take for a call, as its format has it. */
const extensionSeconds = 30;

/** Programs that are asked what they can do. */
export function upstreamPrograms(of: Package): readonly Program[] {
  const used = new Set(of.tools.flatMap((it) => (it.action?.kind === 'upstream' ? [it.action.program] : [])));
  const hooked = new Set(of.hooks.map((it) => it.program));
  return of.programs.filter(
    (it) =>
      (it.protocol === 'mcp' || it.protocol === 'nexo') &&
      (it.role === 'mcp-server' || it.role === 'extension') &&
      (of.announces || used.has(it.name) || hooked.has(it.name)),
  );
}

type Known = ReadonlyMap<string, ProgramAnnouncement>;

/** What was made of a package and the very same announcements before, for every session that lists it. */
const made = new WeakMap<Package, { readonly from: Known; readonly offer: Offer }>();

/** The tools of a package as they are known now. A program that was never up offers nothing. */
export function offerOf(of: Package, known: Known): Offer {
  const last = made.get(of);
  if (last !== undefined && isSameSaid(last.from, known)) return last.offer;
  const offer = newOffer(of, known);
  made.set(of, { from: known, offer });
  return offer;
}

function isSameSaid(one: Known, other: Known): boolean {
  return one.size === other.size && [...one].every(([program, it]) => other.get(program) === it);
}

function newOffer(of: Package, known: Known): Offer {
  const programs = upstreamPrograms(of);
  const names = new Set(programs.map((it) => it.name));
  const own = of.tools.filter((it) => it.action?.kind !== 'upstream' || !names.has(it.action.program));
  const offers = programs.map((it) => offerOfProgram(of, it, known.get(it.name)));
  const tools: OfferedTool[] = [...own.map((tool) => ({ tool, held: false }))];
  const remarks = offers.flatMap((it) => it.remarks);
  const taken = new Set(tools.map((it) => it.tool.name));
  for (const { tool, held } of offers.flatMap((it) => it.tools)) {
    if (taken.has(tool.name)) {
      remarks.push(`two of its tools are called ${tool.name}; the first has the name`);
      continue;
    }
    taken.add(tool.name);
    tools.push({ tool, held });
  }
  return { tools, remarks };
}

function offerOfProgram(of: Package, program: Program, known: ProgramAnnouncement | undefined): Offer {
  const declared = of.tools.filter(
    (it) => it.action?.kind === 'upstream' && it.action.program === program.name,
  );
  if (known === undefined) return { tools: [], remarks: [] };
  const said = new Map(known.agreed.tools.slice(0, maxTools).map((it) => [it.name, it]));
  const now = known.waiting === null ? null : new Map(known.waiting.tools.map((it) => [it.name, it]));
  const isHeld = (it: AnnouncedTool) => now !== null && !isSame(now.get(it.name), it);
  if (program.role === 'extension' || declared.length > 0)
    return declaredOffer(program, declared, said, isHeld);
  const prefix = of.programs.filter((it) => it.role === 'mcp-server' || it.role === 'extension').length > 1;
  const remarks: string[] = [];
  const tools = [...said.values()].flatMap((it): OfferedTool[] => {
    const problem = problemOf(it);
    if (problem !== undefined) {
      remarks.push(`the tool ${shown(it.name)} of ${program.name} is left out: ${problem}`);
      return [];
    }
    const name = prefix ? `${program.name}_${it.name}` : it.name;
    return [{ tool: announcedTool(name, it, program), held: isHeld(it) }];
  });
  return { tools, remarks };
}

/** A manifest that names its tools means these and no others. */
function declaredOffer(
  program: Program,
  declared: readonly Tool[],
  said: ReadonlyMap<string, AnnouncedTool>,
  isHeld: (it: AnnouncedTool) => boolean,
): Offer {
  const remarks: string[] = [];
  const wanted = new Set(declared.flatMap((it) => (it.action?.kind === 'upstream' ? [it.action.tool] : [])));
  const undeclared = [...said.keys()].filter((it) => !wanted.has(it));
  if (program.role === 'extension' && undeclared.length > 0)
    remarks.push(`it announces ${list(undeclared)}, which its manifest does not declare; left out`);
  const missing = [...wanted].filter((it) => !said.has(it));
  if (missing.length > 0)
    remarks.push(`its manifest declares ${list(missing)}, which its program does not announce`);
  const tools = declared.flatMap((tool): OfferedTool[] => {
    const it = tool.action?.kind === 'upstream' ? said.get(tool.action.tool) : undefined;
    if (it === undefined) return [];
    const problem = problemOf(it);
    if (problem !== undefined) {
      remarks.push(`the tool ${shown(it.name)} is left out: ${problem}`);
      return [];
    }
    return [{ tool: refined(tool, it, program), held: isHeld(it) }];
  });
  return { tools, remarks };
}

/** Where the manifest left it to the program, the program's own words count; where it spoke, it is the manifest's. */
function refined(tool: Tool, it: AnnouncedTool, program: Program): Tool {
  if (program.role !== 'extension') return tool;
  return {
    ...tool,
    description: it.description ?? tool.description,
    input: inputOf(it.input),
    timeoutSeconds: tool.timeoutSeconds ?? extensionSeconds,
  };
}

/** What it says of its effects can make it stricter and never looser. */
function announcedTool(name: string, it: AnnouncedTool, program: Program): Tool {
  const annotations = annotationsOf(it);
  const destructive = annotations.destructiveHint === true;
  return {
    name,
    description: it.description ?? it.title ?? it.name,
    input: inputOf(it.input),
    ...(it.output === undefined ? {} : { output: it.output }),
    annotations,
    effect: destructive ? 'destructive' : 'write',
    effectDeclared: false,
    idempotent: false,
    untrustedInputs: [],
    approval: destructive ? 'human' : 'none',
    examples: [],
    ...(it.meta === undefined ? {} : { meta: it.meta }),
    action: { kind: 'upstream', program: program.name, tool: it.name },
  };
}

/** A program that says nothing of its arguments takes any. */
function inputOf(schema: JsonSchema | undefined): JsonSchema {
  if (schema === undefined || schema === true) return { type: 'object', additionalProperties: true };
  const says = isObject(schema) && Object.keys(schema).some((it) => it !== 'type' && !it.startsWith('$'));
  return says || schema === false ? schema : { ...schema, additionalProperties: true };
}

const flags = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function annotationsOf({ annotations = {}, title }: AnnouncedTool): Annotations {
  const told = flags.flatMap((it) =>
    typeof annotations[it] === 'boolean' ? [[it, annotations[it]] as const] : [],
  );
  const called = typeof annotations.title === 'string' ? annotations.title : title;
  return { ...Object.fromEntries(told), ...(called === undefined ? {} : { title: called }) };
}

/** Why a tool is not offered; undefined when nothing speaks against it. */
function problemOf(it: AnnouncedTool): string | undefined {
  if (!/^[A-Za-z0-9_.\-/]{1,128}$/.test(it.name)) return 'its name is none that clients can call';
  const words = [it.description ?? '', it.title ?? ''];
  if (words.some((text) => text.length > maxDescription)) return 'its description is longer than 16 KiB';
  // Titles, schemas and members are read as well: nothing of it may hide a character.
  const { all } = leavesOf(it as unknown as JsonObject);
  const [hidden] = all.flatMap(({ text }) => findHidden(text));
  if (hidden !== undefined)
    return `what it says of itself holds ${codePointName(hidden.codePoint)}, which no reader sees`;
  for (const schema of [it.input, it.output]) {
    if (schema === undefined) continue;
    const problem = schemaProblem(schema);
    if (problem !== undefined) return problem;
  }
  return isObject(it.input) && it.input.type !== undefined && it.input.type !== 'object'
    ? 'its arguments are not an object'
    : undefined;
}

function isSame(one: AnnouncedTool | undefined, other: AnnouncedTool): boolean {
  return one !== undefined && spelled(one) === spelled(other);
}

function spelled(it: AnnouncedTool): string {
  return canonicalJson(it as unknown as JsonObject);
}

const mostNamed = 5;

function list(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  const named = names.slice(0, mostNamed).map(shown).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

/** A name from outside, in a sentence of ours. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
