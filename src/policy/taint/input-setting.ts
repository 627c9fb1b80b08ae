import { isObject, type JsonSchema } from '../../model/json.js';
import { parseInputSetting } from '../../model/taint-setting.js';
import { matchesToolName } from '../rules/tool-rules.js';
import type { ToolLabels } from './tool-labels.js';

/** The labels of a tool with what the operator says about its inputs. */
export function withInputSettings(labels: ToolLabels, name: string, settings: readonly string[]): ToolLabels {
  const own = settings.flatMap((it) => {
    const setting = parseInputSetting(it);
    return setting !== undefined && matchesToolName(setting.tool, name) ? [setting] : [];
  });
  if (own.length === 0) return labels;
  return { ...labels, inputs: new Map([...labels.inputs, ...own.map((it) => [it.input, it.role] as const)]) };
}

interface NamedTool {
  readonly name: string;
  readonly input: JsonSchema;
}

/**
 * The settings that can never match: their package is there, and no tool of it has such a name or input. `parse`: which tool
 * and input a setting names; undefined if it cannot be read.
 */
export function unmatchedSettings(
  settings: readonly string[],
  parse: (text: string) => { readonly tool: string; readonly input?: string } | undefined,
  tools: readonly NamedTool[],
): readonly string[] {
  return settings.filter((text) => {
    const setting = parse(text);
    if (setting === undefined) return true;
    const [packageId] = setting.tool.split('/');
    const known = tools.filter((it) => it.name.startsWith(`${packageId}/`));
    if (known.length === 0) return false;
    return !known.some((it) => matchesToolName(setting.tool, it.name) && hasInput(it, setting.input));
  });
}

function hasInput({ input }: NamedTool, name: string | undefined): boolean {
  if (name === undefined) return true;
  const properties = isObject(input) ? input.properties : undefined;
  return isObject(properties) && Object.hasOwn(properties, name);
}
