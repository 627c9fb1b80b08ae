import { commonCodes } from '../model/codes.js';
import type { Severity } from '../model/severity.js';
import type { FormatDescriptor } from './format-descriptor.js';

/** The severity of every code: those that all formats share, then those of each format. */
export function diagnosticCodesOf(formats: readonly FormatDescriptor[]): Readonly<Record<string, Severity>> {
  return Object.assign({}, commonCodes, ...formats.map((it) => it.codes));
}
