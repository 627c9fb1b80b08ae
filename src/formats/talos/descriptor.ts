import type { FormatDescriptor } from '../format-descriptor.js';
import { claimTalos } from './claim.js';
import { talosCodes } from './codes.js';

export const talosFormat = {
  name: 'talos',
  fileNames: { certain: [], likely: ['manifest.json'], possible: [] },
  usualScope: 'folder',
  ownsSubfolders: true,
  codes: talosCodes,
  claim: claimTalos,
  load: async () => (await import('./format.js')).talos,
  loadEditor: async () => (await import('../document/json-editor.js')).jsonEditor,
  loadStarter: async () => (await import('./starter.js')).starter,
} as const satisfies FormatDescriptor;
