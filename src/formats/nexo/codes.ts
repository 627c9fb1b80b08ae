import type { Severity } from '../../model/severity.js';
import type { Report } from '../report.js';

export const nexoCodes = {
  'nexo.id': 'error',
  'nexo.id-length': 'error',
  'nexo.id-reserved': 'error',
  'nexo.version': 'error',
  'nexo.min-agent-version': 'error',
  'nexo.agent-too-old': 'error',
  'nexo.description-length': 'error',
  'nexo.priority-range': 'error',
  'nexo.no-capability': 'error',
  'nexo.capability-name': 'error',
  'nexo.capability-name-length': 'error',
  'nexo.capability-twice': 'error',
  'nexo.hook-unknown': 'warning',
  'nexo.transport-conflict': 'error',
  'nexo.transport-field': 'error',
  'nexo.command-empty': 'error',
  'nexo.command-with-arguments': 'warning',
  'nexo.subject-empty': 'error',
  'nexo.subject-invalid': 'warning',
  'nexo.url-empty': 'error',
  'nexo.url-scheme': 'error',
  'nexo.env-name': 'error',
  'nexo.server-name': 'error',
  'nexo.server-name-length': 'error',
  'nexo.server-without-target': 'error',
  'nexo.header': 'error',
  'nexo.placeholder-unknown': 'warning',
  'nexo.placeholder-place': 'error',
  'nexo.sidecar-ignored': 'info',
} as const satisfies Record<string, Severity>;

export type NexoCode = keyof typeof nexoCodes;

/** Accepts the codes of this format and those that all formats share. */
export type NexoReport = Report<NexoCode>;
