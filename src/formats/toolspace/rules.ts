import { isObject, type JsonObject } from '../../model/json.js';
import type { Report } from '../report.js';
import { checkActions } from './action.js';
import { checkEnv, readVariables } from './env.js';
import { checkInstall } from './install.js';
import { checkRuntime } from './runtime.js';
import { checkSmoke } from './smoke.js';
import { checkLiteral } from './tokens.js';
import { checkUrls } from './urls.js';

/** What the schema cannot say. Values of the wrong type were reported already and are passed over. */
export function checkRules(report: Report, manifest: JsonObject): void {
  checkEnv(report, manifest.env);
  checkRuntime(report, manifest);
  checkInstall(report, manifest.runtime);
  checkActions(report, manifest);
  checkSmoke(report, manifest);
  checkUrls(report, manifest);
  checkCommands(report, manifest);
}

function checkCommands(report: Report, manifest: JsonObject): void {
  const { runtime, smoke, kill_switch: killSwitch } = manifest;
  const variables = readVariables(manifest);
  const entrypoint = isObject(runtime) && isObject(runtime.entrypoint) ? runtime.entrypoint : {};
  checkLiteral(report, entrypoint.command, ['runtime', 'entrypoint', 'command'], variables);
  if (isObject(smoke)) checkLiteral(report, smoke.command, ['smoke', 'command'], variables);
  if (isObject(killSwitch)) checkLiteral(report, killSwitch.command, ['kill_switch', 'command'], variables);
}
