import type { Severity } from '../../model/severity.js';
import type { Report } from '../report.js';

/** Rules of the Patch format that its schema cannot express. */
export const patchCodes = {
  'patch.no-manifest': 'error',
  'patch.unclosed-manifest': 'error',
  'patch.second-manifest': 'error',
  'patch.line-not-comment': 'error',
  'patch.duplicate-input': 'error',
  'patch.input-name': 'error',
  'patch.default-type': 'error',
  'patch.default-on-required': 'warning',
  'patch.items-without-array': 'warning',
  'patch.package-name': 'error',
  'patch.package-twice': 'error',
  'patch.auth-provider': 'error',
  'patch.auth-without-network': 'warning',
  'patch.browser-without-network': 'error',
  'patch.generated-at': 'warning',
  'patch.python-syntax': 'error',
  'patch.main-missing': 'error',
  'patch.main-parameter-missing': 'error',
  'patch.main-parameter-extra': 'error',
  'patch.main-default-missing': 'error',
  'patch.main-parameter-unused': 'warning',
  'patch.import-side-effect': 'error',
  'patch.no-stdin': 'warning',
  'patch.no-output': 'warning',
  'patch.could-not-check': 'info',
} as const satisfies Record<string, Severity>;

export type PatchCode = keyof typeof patchCodes;

/** Accepts the codes of this format and those that all formats share. */
export type PatchReport = Report<PatchCode>;
