import { isObject, type JsonObject } from '../../model/json.js';
import { checkActions } from './action-rules.js';
import type { ToolspaceReport } from './codes.js';
import { checkEnv, readVariables } from './env-rules.js';
import { checkInstall } from './install-rules.js';
import { checkRuntime } from './runtime-rules.js';
import { checkSmoke } from './smoke-rules.js';
import { checkLiteralCommand } from './token-rules.js';
import { checkUrls } from './url-rules.js';

/** Rules that the schema cannot express. Values of the wrong type are skipped: the schema already reports them. */
export function checkRules(report: ToolspaceReport, manifest: JsonObject): void {
  checkEnv(report, manifest.env);
  checkRuntime(report, manifest);
  checkInstall(report, manifest.runtime);
  checkActions(report, manifest);
  checkSmoke(report, manifest);
  checkUrls(report, manifest);
  checkLiteralCommands(report, manifest);
}

function checkLiteralCommands(report: ToolspaceReport, manifest: JsonObject): void {
  const { runtime, smoke, kill_switch: killSwitch } = manifest;
  const variables = readVariables(manifest);
  const entrypoint = isObject(runtime) && isObject(runtime.entrypoint) ? runtime.entrypoint : {};
  checkLiteralCommand(report, entrypoint.command, ['runtime', 'entrypoint', 'command'], variables);
  if (isObject(smoke)) checkLiteralCommand(report, smoke.command, ['smoke', 'command'], variables);
  if (isObject(killSwitch))
    checkLiteralCommand(report, killSwitch.command, ['kill_switch', 'command'], variables);
}
