import { HostError, type HostErrorCode, hostErrorCodes } from '../../model/host-error.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';
import type { NetworkHost } from '../../model/permissions.js';
import { parseDestination } from '../../net/destination.js';
import type { HttpClient } from '../../net/http-client.js';

export interface RegistryConnectionOptions {
  /** Of the registry, with its folder. */
  readonly url: string;
  readonly http: HttpClient;
  /** Hosts on loopback or private addresses that the operator granted. */
  readonly granted: readonly NetworkHost[];
  readonly ca?: string | undefined;
  readonly token: string;
  readonly signal: AbortSignal;
}

export interface RegistryRequest {
  readonly method: 'POST' | 'PUT';
  /** Below the URL of the registry. */
  readonly path: string;
  readonly type: string;
  readonly body: string | Uint8Array;
}

const wallMs = 15 * 60_000;
const maxAnswer = 16 * 1024 * 1024;

/** Sends something to a registry server. An error of the server is thrown with its own code, message and hint. */
export async function askRegistry(
  { method, path, type, body }: RegistryRequest,
  { url, http, granted, ca, token, signal }: RegistryConnectionOptions,
): Promise<JsonObject> {
  const base = url.endsWith('/') ? url : `${url}/`;
  const { host, port } = parseDestination(base);
  const response = await http.send({
    method,
    url: `${base}${path}`,
    headers: { 'content-type': type, authorization: `Bearer ${token}`, 'user-agent': 'toolwharf' },
    body,
    reach: { hosts: [{ host, port }], granted, ...(ca === undefined ? {} : { certificates: ca }) },
    limits: { wallMs, bodyBytes: maxAnswer },
    credential: true,
    signal,
  });
  const answer = tryParseBounded(response.body.toString('utf8'), documentLimits);
  if (!isObject(answer)) throw notRegistry(host, response.status);
  const isSuccess = response.status >= 200 && response.status <= 299 && answer.error === undefined;
  if (isSuccess) return answer;
  throw errorOf(answer, host, response.status);
}

function errorOf(answer: JsonObject, host: string, status: number): HostError {
  const { error, findings } = answer;
  if (!isObject(error) || typeof error.message !== 'string') return notRegistry(host, status);
  const code = hostErrorCodes.find((it): it is HostErrorCode => it === error.code) ?? 'upstream_failed';
  const lines = Array.isArray(findings) ? findings.map(findingLine) : [];
  const hint = [...lines, ...(typeof error.hint === 'string' ? [`${host} says: ${error.hint}`] : [])].join(
    '\n',
  );
  return new HostError(code, `${host}: ${error.message}`, hint === '' ? {} : { hint });
}

function findingLine(finding: unknown): string {
  const { severity, file, message } = isObject(finding as JsonObject) ? (finding as JsonObject) : {};
  return `${String(severity)}: ${String(file)}: ${String(message)}`;
}

function notRegistry(host: string, status: number): HostError {
  return new HostError('network_failed', `${host} did not answer like a registry (status ${status})`, {
    hint: 'check the URL; a registry that is only files cannot be published to over HTTP',
  });
}
