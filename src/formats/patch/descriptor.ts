import type { FormatDescriptor } from '../format-descriptor.js';
import { claimPatch } from './claim.js';
import { patchCodes } from './codes.js';

export const patchFormat = {
  name: 'patch',
  fileNames: { certain: [], likely: ['*.py'], possible: [] },
  usualScope: 'file',
  ownsSubfolders: false,
  codes: patchCodes,
  claim: claimPatch,
  load: async () => (await import('./format.js')).patch,
  loadEditor: async () => (await import('./editor.js')).patchEditor,
  loadStarter: async () => (await import('./starter.js')).starter,
} as const satisfies FormatDescriptor;
