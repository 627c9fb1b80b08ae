import type { FormatName } from '../model/format.js';
import { starter as findagent } from './findagent/starter.js';
import { starter as nexo } from './nexo/starter.js';
import { starter as patch } from './patch/starter.js';
import type { StarterFile } from './starter.js';
import { starter as talos } from './talos/starter.js';
import { starter as toolspace } from './toolspace/starter.js';

const starters: Record<FormatName, (name: string) => readonly StarterFile[]> = {
  patch,
  talos,
  toolspace,
  findagent,
  nexo,
};

/** The files of a new package. The name is in lower case with hyphens. */
export function starterFiles(format: FormatName, name: string): readonly StarterFile[] {
  return starters[format](name);
}
