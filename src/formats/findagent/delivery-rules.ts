import { isObject, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import type { Report } from '../report.js';
import { checkAuth } from './http-rules.js';
import { remoteCandidates, remoteCredential, remoteOf } from './remote-credential.js';
import { codeMode, kindOf, memberOf, objectOf, remoteUrl } from './shape.js';
import { readUrl } from './url.js';

/** How the agent is reached, and what of it this host does not do. */
export function checkDelivery(report: Report, manifest: JsonObject): void {
  const { delivery } = manifest;
  if (delivery === 'mcp.remote') {
    report.at(
      'findagent.delivery-without-url',
      ['delivery'],
      'mcp.remote is named without the URL of a server',
      {
        hint: 'write { "mcp": { "remote": { "url": "https://…" } } }',
      },
    );
  }
  if (isObject(delivery)) checkNested(report, delivery);
  const url = remoteUrl(manifest);
  if (url !== undefined && url !== '') {
    checkRemote(report, url);
    checkCredential(report, manifest, readUrl(url, 'url').target?.host);
  }
  checkUnacted(report, manifest);
}

function checkNested(report: Report, delivery: JsonObject): void {
  const mcp = objectOf(delivery.mcp);
  const ways = [memberOf(delivery, 'prompt'), memberOf(mcp, 'stdio'), memberOf(mcp, 'remote')];
  if (ways.every((it) => it === undefined)) {
    report.at('findagent.delivery-empty', ['delivery'], 'delivery names no way to reach the agent', {
      hint: 'write "prompt", or { "mcp": { "stdio": { "command": "…" } } }, or { "mcp": { "remote": { "url": "…" } } }',
    });
  }
  if (isObject(mcp.stdio) && typeof mcp.stdio.command === 'string') {
    const message = `the command ${show(mcp.stdio.command)} is never started by this host; it serves the tools itself`;
    report.at('field.not-acted-on', ['delivery', 'mcp', 'stdio'], message, { spot: 'key' });
  }
}

function checkRemote(report: Report, url: string): void {
  const at = ['delivery', 'mcp', 'remote', 'url'];
  const read = readUrl(url, 'url');
  for (const { code, message, hint } of read.problems) report.at(code, at, message, { hint });
  if (read.target !== undefined && read.names.length > 0) {
    report.at(
      'findagent.url-hole',
      at,
      `url ${show(url)} has a placeholder, and there is no input to fill it`,
      {
        hint: 'write the whole URL out',
      },
    );
  }
}

/** Which credential the server gets, where it is to get one. */
function checkCredential(report: Report, manifest: JsonObject, host: string | undefined): void {
  const at = ['delivery', 'mcp', 'remote'];
  const remote = remoteOf(manifest);
  if (remote.auth_ref !== undefined) {
    const message = '"auth_ref" of a remote server: not in the published format; understood here';
    report.at('findagent.extension-field', [...at, 'auth_ref'], message, { spot: 'key' });
    checkAuth(report, manifest, { auth_ref: remote.auth_ref }, at, host);
    return;
  }
  const candidates = remoteCandidates(manifest);
  if (codeMode(manifest) !== 'none' || candidates.length < 2 || remoteCredential(manifest) !== undefined)
    return;
  const message = `${candidates.length} credentials may go to ${show(host ?? '')}, and it is open which one the server wants; none is sent`;
  report.at('findagent.remote-credential-unclear', [...at, 'url'], message, {
    hint: `name one beside the URL: "auth_ref": ${show(candidates[0] as string)}`,
  });
}

function checkUnacted(report: Report, manifest: JsonObject): void {
  const info = (field: string, message: string) => report.at('field.not-acted-on', [field], message);
  if (manifest.exec === 'findagent-hosted')
    info('exec', 'this host runs everything itself; exec is shown only');
  if (manifest.auth === 'api-key' || manifest.auth === 'oauth-device') {
    info('auth', 'signing in to FindAgent is not done here; auth is shown only');
  }
  if (kindOf(manifest) === 'autonomous-agent') {
    info('kind', 'this host serves the tools and the prompt; it does not run an agent on its own');
  }
}
