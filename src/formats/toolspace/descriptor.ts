import type { FormatDescriptor } from '../format-descriptor.js';
import { claimToolspace } from './claim.js';
import { toolspaceCodes } from './codes.js';

export const toolspaceFormat = {
  name: 'toolspace',
  fileNames: { certain: ['toolspace.json'], likely: [], possible: ['*.json'] },
  usualScope: 'folder',
  // A manifest describes one tool completely, so others below it are tools of their own.
  ownsSubfolders: false,
  codes: toolspaceCodes,
  claim: claimToolspace,
  load: async () => (await import('./format.js')).toolspace,
  loadEditor: async () => (await import('../document/json-editor.js')).jsonEditor,
  loadStarter: async () => (await import('./starter.js')).starter,
} as const satisfies FormatDescriptor;
