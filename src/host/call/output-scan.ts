import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../../files/sha256.js';
import { type FailedToolResult, HostError } from '../../model/host-error.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Finding } from '../../policy/scan/redact-secrets.js';
import type { BinaryContent, OutputFinding, RunRequest, RunResult } from '../../run/run.js';
import { secretInAnswer } from './input-scan.js';
import { scannedLog } from './scanned-log.js';
import { scannedRequests } from './scanned-requests.js';
import type { CallScan } from './secret-scanner.js';

/** Denied hosts in the audit entry of one call. */
const maxDeniedHosts = 20;
/** Contacted hosts that are looked at in one call. */
const maxContactedHosts = 200;
/** Findings in the audit entry of one call. */
const maxAuditedFindings = 50;

/** Scans everything that a run outputs: its answer, log, errors, progress messages and questions. */
export async function withScannedOutput(
  scan: CallScan,
  request: RunRequest,
  run: (request: RunRequest) => Promise<RunResult>,
): Promise<RunResult> {
  const { onProgress, onAsk, clientRequests } = request;
  const log = request.logging === undefined ? undefined : scannedLog(scan, request.logging);
  const withheld: string[] = [];
  const report = (findings: readonly Finding[]) => {
    request.onRedacted?.(auditedFindings(findings));
    if (findings.length > 0) request.onFindings?.(outputFindings(findings));
  };
  const guarded: RunRequest = {
    ...request,
    logging: log?.logging,
    onNetworkDenied: (hosts) =>
      request.onNetworkDenied(hosts.slice(0, maxDeniedHosts).map((it) => scan.cleanShortText(it))),
    onNetworkUsed: (hosts) =>
      request.onNetworkUsed?.(hosts.slice(0, maxContactedHosts).map((it) => scan.cleanShortText(it))),
    onProgress:
      onProgress &&
      (({ message, ...rest }) =>
        onProgress(message === undefined ? rest : { ...rest, message: scan.cleanShortText(message) })),
    clientRequests: clientRequests && scannedRequests(scan, clientRequests),
    onAsk:
      onAsk && (async (question) => askClean(scan, request, onAsk, question, (why) => withheld.push(why))),
  };
  try {
    const { value, log, warnings, parts, meta, ...rest } = await run(guarded);
    // A list and not an object: our own key names would become part of the scanned text.
    const { binary } = rest;
    const scanned = binary === undefined ? value : binaryPart(value, binary);
    const output = [scanned, warnings, log ?? null, parts ?? null, meta ?? null];
    const { value: clean, findings, stripped } = await scan.cleanOutput(output);
    report(findings);
    const [cleanValue, cleanWarnings, cleanLog, ...cleanContent] = clean as [
      Json,
      string[],
      string,
      JsonObject[],
      JsonObject,
    ];
    if (binary !== undefined) {
      const inText = await findingsInText(scan, value);
      report(inText);
      if (inText.length > 0 || !isDeepStrictEqual(cleanValue, scanned))
        throw secretInBinary(request, [...findings, ...inText]);
    }
    return {
      ...rest,
      value: binary === undefined ? cleanValue : value,
      warnings: [...cleanWarnings, ...withheld, ...removalWarnings(findings, stripped)],
      ...(log === undefined ? {} : { log: cleanLog }),
      ...(parts === undefined ? {} : { parts: cleanContent[0] }),
      ...(meta === undefined ? {} : { meta: cleanContent[1] }),
      ...(findings.length === 0 ? {} : { redacted: true }),
    };
  } catch (error) {
    throw await cleanFailure(scan, error, report);
  } finally {
    await log?.flushed();
  }
}

/** Binary content in the form in which the scanner knows that it is not text. */
function binaryPart(value: Json, { mimeType }: BinaryContent): JsonObject {
  return { uri: '', mimeType, blob: value };
}

/** What the scanner finds in binary content that is text in fact; nothing if it is not. */
async function findingsInText(scan: CallScan, value: Json): Promise<readonly Finding[]> {
  const bytes = Buffer.from(String(value), 'base64');
  if (bytes.includes(0) || !isUtf8(bytes)) return [];
  return (await scan.clean(bytes.toString('utf8'))).findings;
}

/** Bytes without the secret would be other content, so nothing is passed on. */
function secretInBinary({ package: pkg, tool }: RunRequest, findings: readonly Finding[]): HostError {
  const names = [...new Set(findings.map((it) => it.name))].join(', ');
  return new HostError(
    'tool_bad_output',
    `the binary answer of ${pkg.id}/${tool.name} was withheld: it contains a secret (${names})`,
  );
}

/** Cleans a question of the tool, and withholds an answer with a secret that would be rejected as an argument. */
async function askClean(
  scan: CallScan,
  { package: pkg, tool }: RunRequest,
  ask: NonNullable<RunRequest['onAsk']>,
  question: JsonObject,
  onWithheld: (why: string) => void,
): Promise<JsonObject> {
  const answer = await ask((await scan.clean(question)).value as JsonObject);
  const secret = await secretInAnswer(pkg, tool, answer.content ?? null, scan);
  if (secret === undefined) return answer;
  onWithheld(`an answer to its question was withheld: it contains ${secret}`);
  return { action: 'decline' };
}

/** The same failure with cleaned text. A bug stays as it is: its text is never shown. */
export async function cleanFailure(
  scan: CallScan,
  error: unknown,
  onFindings: (findings: readonly Finding[]) => void = () => {},
): Promise<unknown> {
  if (!(error instanceof HostError)) return error;
  const { toolResult: failed } = error;
  const texts = [
    error.message,
    error.hint ?? null,
    (error.toolError ?? null) as JsonObject | null,
    failed?.parts ?? null,
    failed?.structured ?? null,
    failed?.meta ?? null,
  ];
  const { value, findings } = await scan.clean(texts);
  onFindings(findings);
  const [message, hint, toolError, parts, structured, meta] = value as [
    string,
    string | null,
    JsonObject | null,
    JsonObject[],
    Json,
    JsonObject,
  ];
  const toolResult: FailedToolResult | undefined = failed && {
    parts,
    ...(failed.structured === undefined ? {} : { structured }),
    ...(failed.meta === undefined ? {} : { meta }),
  };
  return new HostError(error.code, message, {
    ...(hint === null ? {} : { hint }),
    ...(toolError === null ? {} : { toolError }),
    ...{
      toolResult,
      transient: error.transient,
      notStarted: error.notStarted,
      needsSignIn: error.needsSignIn,
    },
  });
}

/** Each rule once at each place. */
function outputFindings(findings: readonly Finding[]): OutputFinding[] {
  const found = findings.map(({ path = '', ...it }): OutputFinding => {
    return { path, rule: it.name, reason: it.kind === 'value' ? 'value' : it.guess ? 'guess' : 'format' };
  });
  return [...new Map(found.map((it) => [`${it.path} ${it.rule}`, it])).values()];
}

/** Findings for the audit log: the name, and for a certain match the start of its digest. Never the value. */
export function auditedFindings(findings: readonly Finding[]): JsonObject[] {
  const entries = new Map<string, JsonObject>();
  for (const it of findings) {
    const entry: Record<string, Json> = it.kind === 'value' ? { value: it.name } : { pattern: it.name };
    if (it.kind === 'pattern' && !it.guess) entry.digest = sha256(it.text).slice(0, 8);
    entries.set(JSON.stringify(entry), entry);
  }
  return [...entries.values()].slice(0, maxAuditedFindings);
}

function removalWarnings(findings: readonly Finding[], stripped: boolean): string[] {
  const patterns = new Set(findings.flatMap((it) => (it.kind === 'pattern' ? [it.name] : [])));
  return [
    ...(patterns.size === 0
      ? []
      : [`text that looks like a key was removed: ${[...patterns].sort().join(', ')}`]),
    ...(stripped ? ['invisible characters or terminal control characters were removed'] : []),
  ];
}
