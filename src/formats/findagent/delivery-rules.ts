import { isObject, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import type { FindagentReport } from './codes.js';
import { checkAuthRef } from './http-rules.js';
import { agentKind, codeMode, memberOf, objectOf, remoteUrl } from './manifest-fields.js';
import { remoteCredential, remoteCredentialCandidates, remoteServer } from './remote-credential.js';
import { parseUrl } from './url.js';

/** Checks how the agent is reached, and reports what this host does not support. */
export function checkDelivery(report: FindagentReport, manifest: JsonObject): void {
  const { delivery } = manifest;
  if (delivery === 'mcp.remote') {
    report.at(
      'findagent.delivery-without-url',
      ['delivery'],
      'delivery is "mcp.remote", but the URL of the server is missing',
      {
        hint: 'write { "mcp": { "remote": { "url": "https://…" } } }',
      },
    );
  }
  if (isObject(delivery)) checkNested(report, delivery);
  const url = remoteUrl(manifest);
  if (url !== undefined && url !== '') {
    checkRemote(report, url);
    checkCredential(report, manifest, parseUrl(url, 'url').target?.host);
  }
  checkUnsupported(report, manifest);
}

function checkNested(report: FindagentReport, delivery: JsonObject): void {
  const mcp = objectOf(delivery.mcp);
  const targets = [memberOf(delivery, 'prompt'), memberOf(mcp, 'stdio'), memberOf(mcp, 'remote')];
  if (targets.every((it) => it === undefined)) {
    report.at('findagent.delivery-empty', ['delivery'], 'delivery names neither a prompt nor an MCP server', {
      hint: 'write "prompt", or { "mcp": { "stdio": { "command": "…" } } }, or { "mcp": { "remote": { "url": "…" } } }',
    });
  }
  if (isObject(mcp.stdio) && typeof mcp.stdio.command === 'string') {
    const message = `this host serves the tools itself and never starts the command ${show(mcp.stdio.command)}`;
    report.at('field.not-acted-on', ['delivery', 'mcp', 'stdio'], message, { spot: 'key' });
  }
}

function checkRemote(report: FindagentReport, url: string): void {
  const at = ['delivery', 'mcp', 'remote', 'url'];
  const parsed = parseUrl(url, 'url');
  for (const { code, message, hint } of parsed.problems) report.at(code, at, message, { hint });
  if (parsed.target !== undefined && parsed.names.length > 0) {
    report.at(
      'findagent.url-hole',
      at,
      `url ${show(url)} has a placeholder, but a server URL has no inputs`,
      {
        hint: 'write the full URL',
      },
    );
  }
}

/** Checks which credential, if any, is sent to the server. */
function checkCredential(report: FindagentReport, manifest: JsonObject, host: string | undefined): void {
  const at = ['delivery', 'mcp', 'remote'];
  const remote = remoteServer(manifest);
  if (remote.auth_ref !== undefined) {
    const message = '"auth_ref" of a remote server is not in the published format; this host supports it';
    report.at('findagent.extension-field', [...at, 'auth_ref'], message, { spot: 'key' });
    checkAuthRef(report, manifest, { auth_ref: remote.auth_ref }, at, host);
    return;
  }
  const candidates = remoteCredentialCandidates(manifest);
  if (codeMode(manifest) !== 'none' || candidates.length < 2 || remoteCredential(manifest) !== undefined)
    return;
  const message = `${candidates.length} credentials are allowed for ${show(host ?? '')}; no credential is sent, because it is unclear which one to use`;
  report.at('findagent.remote-credential-unclear', [...at, 'url'], message, {
    hint: `name one next to the URL: "auth_ref": ${show(candidates[0] as string)}`,
  });
}

function checkUnsupported(report: FindagentReport, manifest: JsonObject): void {
  const info = (field: string, message: string) => report.at('field.not-acted-on', [field], message);
  if (manifest.exec === 'findagent-hosted')
    info('exec', 'this host runs everything itself; it only displays exec');
  if (manifest.auth === 'api-key' || manifest.auth === 'oauth-device') {
    info('auth', 'this host does not sign in to FindAgent; it only displays auth');
  }
  if (agentKind(manifest) === 'autonomous-agent') {
    info('kind', 'this host serves the tools and the prompt; it does not run an autonomous agent');
  }
}
