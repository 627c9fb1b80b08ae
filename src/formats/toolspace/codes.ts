import type { Severity } from '../../model/severity.js';
import type { Report } from '../report.js';

/** Rules from the text of the Toolspace specification. Violations of its JSON Schema use the codes of schema.ts. */
export const toolspaceCodes = {
  'toolspace.duplicate-action': 'error',
  'toolspace.duplicate-env': 'error',
  'toolspace.default-on-secret': 'error',
  'toolspace.regex': 'error',
  'toolspace.regex-not-linear': 'warning',
  'toolspace.entrypoint-and-endpoint': 'error',
  'toolspace.no-entrypoint': 'error',
  'toolspace.no-endpoint': 'error',
  'toolspace.no-image': 'error',
  'toolspace.empty-command': 'error',
  'toolspace.command-spaces': 'warning',
  'toolspace.path-escape': 'error',
  'toolspace.install-kind': 'warning',
  'toolspace.package-name': 'error',
  'toolspace.version-spec': 'error',
  'toolspace.git-ref': 'warning',
  'toolspace.git-ref-name': 'error',
  'toolspace.image-digest': 'warning',
  'toolspace.image-reference': 'error',
  'toolspace.insecure-url': 'warning',
  'toolspace.url-scheme': 'error',
  'toolspace.url-unusable': 'error',
  'toolspace.url-userinfo': 'error',
  'toolspace.mcp-action': 'error',
  'toolspace.malformed-token': 'error',
  'toolspace.unknown-input': 'error',
  'toolspace.unknown-env': 'error',
  'toolspace.optional-token': 'warning',
  'toolspace.literal-token': 'warning',
  'toolspace.secret-in-argv': 'error',
  'toolspace.secret-in-url': 'error',
  'toolspace.http-path': 'error',
  'toolspace.header-name': 'error',
  'toolspace.header-value': 'error',
  'toolspace.header-managed': 'warning',
  'toolspace.input-not-object': 'error',
  'toolspace.input-unused': 'warning',
  'toolspace.output-schema-unused': 'warning',
  'toolspace.example-mismatch': 'warning',
  'toolspace.unknown-scope': 'warning',
  'toolspace.smoke-action': 'error',
  'toolspace.smoke-effect': 'error',
  'toolspace.smoke-arguments': 'warning',
  'toolspace.smoke-not-mcp': 'error',
  'toolspace.smoke-body': 'warning',
  'toolspace.foreign-success': 'warning',
  'toolspace.json-pointer': 'error',
} as const satisfies Record<string, Severity>;

export type ToolspaceCode = keyof typeof toolspaceCodes;

/** Accepts the codes of this format and those that all formats share. */
export type ToolspaceReport = Report<ToolspaceCode>;
