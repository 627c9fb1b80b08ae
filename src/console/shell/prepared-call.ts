import type { Json } from '../../model/json.js';
import { navigate } from './route.js';

/** A call that another page prepared. The page that tries tools takes it. */
let prepared: { readonly tool: string; readonly arguments: Json } | undefined;

/** Opens a tool with these arguments. Nothing is called. */
export function openInTry(tool: string, args: Json): void {
  prepared = { tool, arguments: args };
  navigate(...pathOfTool(tool));
}

/** The arguments that were prepared for a tool, once. */
export function takePrepared(tool: string): Json | undefined {
  if (prepared?.tool !== tool) return undefined;
  const args = prepared.arguments;
  prepared = undefined;
  return args;
}

/** The parts of the path of a tool's page. */
export function pathOfTool(tool: string): readonly string[] {
  return ['try', ...tool.split('/')];
}
