// Turns announcements of upstreams into tools. The text comes from an untrusted program, and models read it.

import { schemaProblem } from '../../formats/schema-problem.js';
import type { AnnouncedTool } from '../../model/action.js';
import { isObject, type JsonObject, type JsonSchema } from '../../model/json.js';
import { type Package, upstreamPrograms } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import type { Annotations, Tool } from '../../model/tool.js';
import { codePointName, findHidden } from '../../model/unicode.js';
import { announcedToolText } from '../../policy/review/announcement.js';
import { collectTexts } from '../../policy/scan/json-texts.js';
import type { UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import { servedAppMeta } from './upstream-apps.js';
import { linkPrefix } from './upstream-links.js';
import { usableIcons } from './usable-icons.js';

/** What an upstream announced. */
export interface ProgramAnnouncement {
  /** The announcement that the operator accepted. */
  readonly agreed: UpstreamAnnouncement;
  /** A later, different one that waits for a review; null if there is none. */
  readonly waiting: UpstreamAnnouncement | null;
}

export interface OfferedTool {
  readonly tool: Tool;
  /** The program now announces the tool differently, or not at all, and the operator has not accepted that. */
  readonly needsReview: boolean;
}

/** The tools of a package. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  /** Tools that are left out, and why. */
  readonly remarks: readonly string[];
}

const maxTools = 2000;
const maxDescription = 16 * 1024;
/** Default time limit of an extension's tools, from the Nexo format. */
const extensionSeconds = 30;

/** By program. */
export type AnnouncementMap = ReadonlyMap<string, ProgramAnnouncement>;

/** The known tools of a package. A program that has announced nothing offers nothing. */
export function createOffer(pkg: Package, known: AnnouncementMap): ToolOffer {
  const programs = upstreamPrograms(pkg);
  const names = new Set(programs.map((it) => it.name));
  const ownTools = pkg.tools.filter((it) => it.action?.kind !== 'upstream' || !names.has(it.action.program));
  const programOffers = programs.map((it) => offerOfProgram(pkg, it, known.get(it.name)));
  const tools: OfferedTool[] = [...ownTools.map((tool) => ({ tool, needsReview: false }))];
  const remarks = programOffers.flatMap((it) => it.remarks);
  const taken = new Set(tools.map((it) => it.tool.name));
  for (const { tool, needsReview } of programOffers.flatMap((it) => it.tools)) {
    if (taken.has(tool.name)) {
      remarks.push(`two of its tools are named ${tool.name}; only the first is available`);
      continue;
    }
    taken.add(tool.name);
    tools.push({ tool, needsReview });
  }
  return { tools, remarks };
}

function offerOfProgram(pkg: Package, program: Program, known: ProgramAnnouncement | undefined): ToolOffer {
  const declared = pkg.tools.filter(
    (it) => it.action?.kind === 'upstream' && it.action.program === program.name,
  );
  if (known === undefined) return { tools: [], remarks: [] };
  const announced = new Map(known.agreed.tools.slice(0, maxTools).map((it) => [it.name, it]));
  const waiting = known.waiting === null ? null : new Map(known.waiting.tools.map((it) => [it.name, it]));
  const needsReview = (it: AnnouncedTool) => waiting !== null && !isSame(waiting.get(it.name), it);
  if (program.role === 'extension' || declared.length > 0)
    return declaredOffer(program, declared, announced, needsReview);
  const prefix = pkg.programs.filter((it) => it.role === 'mcp-server' || it.role === 'extension').length > 1;
  const remarks: string[] = [];
  const tools = [...announced.values()].flatMap((it): OfferedTool[] => {
    const problem = problemOf(it);
    if (problem !== undefined) {
      remarks.push(`the tool ${quoted(it.name)} of ${program.name} is left out: ${problem}`);
      return [];
    }
    const name = prefix ? `${program.name}_${it.name}` : it.name;
    const meta = it.meta && servedAppMeta(it.meta, known, linkPrefix(pkg.id, program.name));
    const tool = announcedTool(name, meta === undefined ? it : { ...it, meta }, program);
    return [{ tool, needsReview: needsReview(it) }];
  });
  return { tools, remarks };
}

/** If the manifest declares tools, only those are offered. */
function declaredOffer(
  program: Program,
  declared: readonly Tool[],
  announced: ReadonlyMap<string, AnnouncedTool>,
  needsReview: (it: AnnouncedTool) => boolean,
): ToolOffer {
  const remarks: string[] = [];
  const declaredNames = new Set(
    declared.flatMap((it) => (it.action?.kind === 'upstream' ? [it.action.tool] : [])),
  );
  const undeclared = [...announced.keys()].filter((it) => !declaredNames.has(it));
  if (program.role === 'extension' && undeclared.length > 0)
    remarks.push(`it announces ${list(undeclared)}, which its manifest does not declare; they are left out`);
  const missing = [...declaredNames].filter((it) => !announced.has(it));
  if (missing.length > 0)
    remarks.push(`its manifest declares ${list(missing)}, which its program does not announce`);
  const tools = declared.flatMap((tool): OfferedTool[] => {
    const it = tool.action?.kind === 'upstream' ? announced.get(tool.action.tool) : undefined;
    if (it === undefined) return [];
    const problem = problemOf(it);
    if (problem !== undefined) {
      remarks.push(`the tool ${quoted(it.name)} is left out: ${problem}`);
      return [];
    }
    return [{ tool: refined(tool, it, program), needsReview: needsReview(it) }];
  });
  return { tools, remarks };
}

/**
 * The manifest of an extension leaves description and input to the program. For other programs the manifest decides.
 */
function refined(tool: Tool, it: AnnouncedTool, program: Program): Tool {
  if (program.role !== 'extension') return tool;
  return {
    ...tool,
    description: it.description ?? tool.description,
    input: inputOf(it.input),
    timeoutSeconds: tool.timeoutSeconds ?? extensionSeconds,
  };
}

/** The hints of an announced tool can make the host stricter, never more permissive. */
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
    ...(it.title === undefined ? {} : { title: it.title }),
    ...(it.icons === undefined ? {} : { icons: usableIcons(it.icons) }),
    ...(it.execution === undefined ? {} : { execution: it.execution }),
    ...(it.meta === undefined ? {} : { meta: it.meta }),
    action: { kind: 'upstream', program: program.name, tool: it.name },
  };
}

/** A tool without a schema accepts any arguments. */
function inputOf(schema: JsonSchema | undefined): JsonSchema {
  if (schema === undefined || schema === true) return { type: 'object', additionalProperties: true };
  const hasKeywords =
    isObject(schema) && Object.keys(schema).some((it) => it !== 'type' && !it.startsWith('$'));
  return hasKeywords || schema === false ? schema : { ...schema, additionalProperties: true };
}

const flags = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

function annotationsOf({ annotations = {} }: AnnouncedTool): Annotations {
  const hints = flags.flatMap((it) =>
    typeof annotations[it] === 'boolean' ? [[it, annotations[it]] as const] : [],
  );
  const title = typeof annotations.title === 'string' ? { title: annotations.title } : {};
  return { ...title, ...Object.fromEntries(hints) };
}

/** Why a tool is left out; undefined if it is offered. */
function problemOf(it: AnnouncedTool): string | undefined {
  if (!/^[A-Za-z0-9_.\-/]{1,128}$/.test(it.name)) return 'clients cannot call a tool with this name';
  const texts = [it.description ?? '', it.title ?? ''];
  if (texts.some((text) => text.length > maxDescription)) return 'its description is longer than 16 KiB';
  // Models read all of it: titles, schemas and member names too.
  const { all } = collectTexts(it as unknown as JsonObject);
  const [hidden] = all.flatMap(({ text }) => findHidden(text));
  if (hidden !== undefined)
    return `its announcement contains ${codePointName(hidden.codePoint)}, which is invisible`;
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
  return one !== undefined && announcedToolText(one) === announcedToolText(other);
}

const maxListed = 5;

function list(names: readonly string[]): string {
  const rest = names.length - maxListed;
  const named = names.slice(0, maxListed).map(quoted).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

/** An untrusted name for one of our messages. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
