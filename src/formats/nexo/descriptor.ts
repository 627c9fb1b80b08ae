import type { FormatDescriptor } from '../format-descriptor.js';
import { claimNexo } from './claim.js';
import { nexoCodes } from './codes.js';

export const nexoFormat = {
  name: 'nexo',
  fileNames: { certain: ['plugin.toml'], likely: [], possible: ['*plugin.toml'] },
  usualScope: 'folder',
  ownsSubfolders: true,
  codes: nexoCodes,
  claim: claimNexo,
  load: async () => (await import('./format.js')).nexo,
  loadEditor: async () => (await import('../document/toml-editor.js')).tomlEditor,
  loadStarter: async () => (await import('./starter.js')).starter,
} as const satisfies FormatDescriptor;
