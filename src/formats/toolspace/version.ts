import { isObject, type Json } from '../../model/json.js';
import { show } from '../check.js';
import type { ToolspaceReport } from './codes.js';

const supported = '0.2';

/**
 * Reports an unsupported version and returns true. Then no other rule runs: the rules of this version do not apply to
 * the manifest.
 */
export function checkVersion(report: ToolspaceReport, manifest: Json): boolean {
  if (!isObject(manifest) || !Object.hasOwn(manifest, 'manifest_version')) return false;
  const version = manifest.manifest_version as Json;
  if (version === supported) return false;
  const message = `manifest_version ${show(version)} is not supported; this host supports "${supported}"`;
  report.at('schema.const', ['manifest_version'], message, { hint: hintFor(version) });
  return true;
}

function hintFor(version: Json): string {
  if (version === 0.2) return `put it in quotes: "${supported}"`;
  if (version === '0.1' || version === 0.1)
    return `set it to "${supported}" and add actions, which 0.1 did not have`;
  return `write the manifest for version "${supported}"`;
}
