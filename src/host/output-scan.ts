import { createHash } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Finding } from '../policy/scan/redact.js';
import type { RunRequest, RunResult } from '../run/run.js';
import { secretInAnswer } from './input-scan.js';
import type { CallScan } from './scanner.js';

/** Refused hosts of one call in the record. */
const maxRefused = 20;

/** Everything that a run says goes through here: its answer, its log, its errors, how far it is, what it asks. */
export async function withScannedOutput(
  scan: CallScan,
  request: RunRequest,
  run: (request: RunRequest) => Promise<RunResult>,
): Promise<RunResult> {
  const { onProgress, onAsk } = request;
  const kept: string[] = [];
  const guarded: RunRequest = {
    ...request,
    onRefused: (hosts) => request.onRefused(hosts.slice(0, maxRefused).map((it) => scan.cleanWords(it))),
    ...(onProgress === undefined
      ? {}
      : {
          onProgress: ({ message, ...rest }) =>
            onProgress(message === undefined ? rest : { ...rest, message: scan.cleanWords(message) }),
        }),
    ...(onAsk === undefined
      ? {}
      : { onAsk: async (question) => asked(scan, request, onAsk, question, (why) => kept.push(why)) }),
  };
  try {
    const { value, log, warnings, parts, meta, ...rest } = await run(guarded);
    // A list: names of our own between the texts would become a part of them.
    const said = [value, warnings, log ?? null, parts ?? null, meta ?? null];
    const { value: clean, findings, stripped } = await scan.clean(said);
    request.onRedacted?.(recorded(findings));
    const [shown, words, told, ...beside] = clean as [Json, string[], string, JsonObject[], JsonObject];
    return {
      ...rest,
      value: shown,
      warnings: [...words, ...kept, ...remarks(findings, stripped)],
      ...(log === undefined ? {} : { log: told }),
      ...(parts === undefined ? {} : { parts: beside[0] }),
      ...(meta === undefined ? {} : { meta: beside[1] }),
      ...(findings.length === 0 ? {} : { redacted: true }),
    };
  } catch (error) {
    throw await cleanFailure(scan, error, (findings) => request.onRedacted?.(recorded(findings)));
  }
}

/** What a tool asks leaves clean, and no answer brings it a secret that it could not have had as an argument. */
async function asked(
  scan: CallScan,
  { package: of, tool }: RunRequest,
  ask: NonNullable<RunRequest['onAsk']>,
  question: JsonObject,
  onKept: (why: string) => void,
): Promise<JsonObject> {
  const answer = await ask((await scan.clean(question)).value as JsonObject);
  const secret = await secretInAnswer(of, tool, answer.content ?? null, scan);
  if (secret === undefined) return answer;
  onKept(`an answer to what it asked was kept from it: it holds ${secret}`);
  return { action: 'decline' };
}

/** The same failure in words that may be passed on. A bug says nothing to anybody, and stays what it is. */
export async function cleanFailure(
  scan: CallScan,
  error: unknown,
  found: (findings: readonly Finding[]) => void = () => {},
): Promise<unknown> {
  if (!(error instanceof HostError)) return error;
  const said = error.hint === undefined ? [error.message] : [error.message, error.hint];
  const { value, findings } = await scan.clean(said);
  found(findings);
  const [message, hint] = value as [string, string?];
  return new HostError(error.code, message, hint === undefined ? {} : { hint });
}

/** For the record: what it was, and where it has a shape of its own, the beginning of its digest. Never the value. */
export function recorded(findings: readonly Finding[]): JsonObject[] {
  const lines = new Map<string, JsonObject>();
  for (const it of findings) {
    const line: Record<string, Json> = it.kind === 'value' ? { value: it.name } : { pattern: it.name };
    if (it.kind === 'pattern' && !it.guess)
      line.digest = createHash('sha256').update(it.text).digest('hex').slice(0, 8);
    lines.set(JSON.stringify(line), line);
  }
  return [...lines.values()].slice(0, 50);
}

function remarks(findings: readonly Finding[], stripped: boolean): string[] {
  const shapes = new Set(findings.flatMap((it) => (it.kind === 'pattern' ? [it.name] : [])));
  return [
    ...(shapes.size === 0 ? [] : [`what looks like a key was taken out: ${[...shapes].sort().join(', ')}`]),
    ...(stripped ? ['characters that cannot be seen, or that steer a terminal, were taken out'] : []),
  ];
}
