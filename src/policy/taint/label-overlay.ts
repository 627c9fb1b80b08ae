import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { matchesToolName } from '../rules/tool-rules.js';
import { readToolLabels } from './read-tool-labels.js';
import type { ToolLabels } from './tool-labels.js';

const readDocuments = new WeakMap<JsonObject, ReadonlyMap<string, ToolLabels>>();

/** What the labels of an operator say about a tool. Their names are patterns; the first that matches counts. */
export function givenLabels(document: JsonObject | undefined, name: string): ToolLabels | undefined {
  if (document === undefined) return undefined;
  let tools = readDocuments.get(document);
  if (tools === undefined) {
    tools = readToolLabels(document).tools;
    readDocuments.set(document, tools);
  }
  for (const [pattern, labels] of tools) if (matchesToolName(pattern, name)) return labels;
  return undefined;
}

/** What is wrong with a document of labels; empty if it can be used. */
export function labelProblems(document: Json): readonly string[] {
  if (!isObject(document)) return ['expected an object with the member "tools"'];
  const { tools, problems } = readToolLabels(document);
  const bare = [...tools.keys()].filter((it) => !it.includes('/'));
  return [...problems, ...bare.map((it) => `/tools/${it}: write PACKAGE/TOOL`)];
}

/** Labels that can never apply: their package is there, and no tool of it has such a name. */
export function unmatchedLabels(
  document: JsonObject | undefined,
  tools: readonly { readonly name: string }[],
): readonly string[] {
  if (document === undefined) return [];
  return [...readToolLabels(document).tools.keys()].filter((pattern) => {
    const [packageId] = pattern.split('/');
    const known = tools.filter((it) => it.name.startsWith(`${packageId}/`));
    return known.length > 0 && !known.some((it) => matchesToolName(pattern, it.name));
  });
}
