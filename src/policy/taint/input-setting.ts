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

/** The settings that can never match: their package is there, and no tool of it has such an input. */
export function unmatchedInputSettings(
  settings: readonly string[],
  tools: readonly { readonly name: string; readonly input: JsonSchema }[],
): readonly string[] {
  return settings.filter((text) => {
    const setting = parseInputSetting(text);
    if (setting === undefined) return true;
    const [packageId] = setting.tool.split('/');
    const known = tools.filter((it) => it.name.startsWith(`${packageId}/`));
    if (known.length === 0) return false;
    return !known.some(({ name, input }) => {
      const properties = isObject(input) ? input.properties : undefined;
      return (
        matchesToolName(setting.tool, name) &&
        isObject(properties) &&
        Object.hasOwn(properties, setting.input)
      );
    });
  });
}
