import type { Severity } from '../../model/severity.js';
import type { Report } from '../report.js';

export const mcpCodes = {
  'mcp.name': 'error',
  'mcp.target': 'error',
  'mcp.command': 'error',
  'mcp.package-runner': 'error',
  'mcp.url': 'error',
  'mcp.header': 'error',
  'mcp.value-name': 'error',
  'mcp.value-twice': 'error',
  'mcp.value-unused': 'warning',
  'mcp.default-on-secret': 'error',
  'mcp.placeholder': 'error',
  'mcp.cwd': 'error',
  'mcp.host': 'error',
  'mcp.folder': 'error',
  'mcp.install': 'error',
  'mcp.not-for-url': 'warning',
} as const satisfies Record<string, Severity>;

export type McpCode = keyof typeof mcpCodes;

/** Accepts the codes of this format and those that all formats share. */
export type McpReport = Report<McpCode>;
