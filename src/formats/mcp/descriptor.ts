import type { FormatDescriptor } from '../format-descriptor.js';
import { claimMcp, manifestName } from './claim.js';
import { mcpCodes } from './codes.js';

export const mcpFormat = {
  name: 'mcp',
  fileNames: { certain: [manifestName], likely: [], possible: [] },
  usualScope: 'folder',
  ownsSubfolders: false,
  codes: mcpCodes,
  claim: claimMcp,
  load: async () => (await import('./format.js')).mcpParser,
  serverManifest: {
    fileName: manifestName,
    loadWriter: async () => (await import('./writer.js')).writeServer,
  },
  loadEditor: async () => (await import('../document/json-editor.js')).jsonEditor,
  loadStarter: async () => (await import('./starter.js')).starter,
} as const satisfies FormatDescriptor;
