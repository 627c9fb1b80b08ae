import { findagentFormat } from './findagent/descriptor.js';
import type { FormatDescriptor } from './format-descriptor.js';
import { mcpFormat } from './mcp/descriptor.js';
import { nexoFormat } from './nexo/descriptor.js';
import { patchFormat } from './patch/descriptor.js';
import { talosFormat } from './talos/descriptor.js';
import { toolspaceFormat } from './toolspace/descriptor.js';

/** All formats, in the order in which a file is offered to them. A new format is its folder and one entry here. */
export const builtInFormats = [
  patchFormat,
  findagentFormat,
  talosFormat,
  toolspaceFormat,
  nexoFormat,
  mcpFormat,
] as const satisfies readonly FormatDescriptor[];

/** The name of a format that comes with Toolwharf. */
export type FormatName = (typeof builtInFormats)[number]['name'];
