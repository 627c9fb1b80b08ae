import type { Severity } from '../../model/severity.js';
import type { Report } from '../report.js';

/** Rules of the Talos format that its schema cannot express. */
export const talosCodes = {
  'talos.folder-name': 'error',
  'talos.function-name': 'error',
  'talos.duplicate-function': 'error',
  'talos.duplicate-slot': 'error',
  'talos.parameters-type': 'error',
  'talos.required-unknown': 'warning',
  'talos.setting-type': 'warning',
  'talos.setting-default': 'warning',
  'talos.setting-options': 'warning',
  'talos.password-default': 'error',
  'talos.no-handlers': 'error',
  'talos.several-handlers': 'info',
  'talos.handler-missing': 'error',
  'talos.handler-not-function': 'error',
  'talos.handler-undeclared': 'info',
  'talos.could-not-check': 'info',
  'talos.prompt-empty': 'warning',
} as const satisfies Record<string, Severity>;

export type TalosCode = keyof typeof talosCodes;

/** Accepts the codes of this format and those that all formats share. */
export type TalosReport = Report<TalosCode>;
