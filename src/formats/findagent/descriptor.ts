import type { FormatDescriptor } from '../format-descriptor.js';
import { claimFindagent } from './claim.js';
import { findagentCodes } from './codes.js';

export const findagentFormat = {
  name: 'findagent',
  fileNames: { certain: ['findagent.json', '.findagent.json'], likely: [], possible: ['*.json'] },
  usualScope: 'folder',
  ownsSubfolders: true,
  codes: findagentCodes,
  claim: claimFindagent,
  load: async () => (await import('./format.js')).findagent,
  loadEditor: async () => (await import('../document/json-editor.js')).jsonEditor,
  loadStarter: async () => (await import('./starter.js')).starter,
  loadImporter: async () => (await import('./import.js')).importRepository,
} as const satisfies FormatDescriptor;
