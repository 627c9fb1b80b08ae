import { createHmac } from 'node:crypto';
import type { ApprovalRequest } from '../model/approval.js';
import { asHostError } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import type { NetworkHost } from '../model/permissions.js';
import type { HttpClient } from '../net/client.js';
import { parseDestination } from '../net/destination.js';
import type { AuditLog } from '../store/audit.js';
import type { CallableTool } from './served-tool.js';
import { shapeOf } from './shape.js';

/** Where people want to hear of held calls, and what was granted for getting there. */
export interface NoticePlace {
  readonly url: string;
  readonly granted: readonly NetworkHost[];
}

export interface NoticeOptions {
  readonly client: HttpClient;
  readonly audit: AuditLog;
  /** What notices are signed with. */
  readonly key: () => Promise<Uint8Array>;
  readonly now: () => number;
  /** Before the second try, the third, and so on. */
  readonly delaysMs?: readonly number[];
}

/** Notices under way; those beyond are not sent, and the record says so. */
const maxOpen = 100;
const usualDelaysMs = [1000, 5000, 25_000];
const wallMs = 10_000;
const answerBytes = 64 * 1024;
/** How long a host that ends waits for notices that are on their way. */
const patienceMs = 2000;

/**
 * Tells a chat or a pager that a call waits. It only informs: nothing that comes back decides anything, what the arguments
 * say stays here, and no call ever waits for it.
 */
export class Notices {
  readonly #options: NoticeOptions;
  readonly #open = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: NoticeOptions) {
    this.#options = options;
  }

  announce(request: ApprovalRequest, served: CallableTool): void {
    const { notice } = served;
    if (notice === null) return;
    if (this.#open.size >= maxOpen || this.#ending.signal.aborted) {
      this.#record(request.id, 'not sent', 'too many others are under way');
      return;
    }
    const work: Promise<void> = this.#deliver(notice, request, documentOf(request, served)).finally(() =>
      this.#open.delete(work),
    );
    this.#open.add(work);
  }

  async close(): Promise<void> {
    const patience = sleep(patienceMs, this.#ending.signal);
    await Promise.race([Promise.all([...this.#open]), patience]);
    this.#ending.abort();
    await Promise.all([...this.#open]);
  }

  async #deliver(place: NoticePlace, { id }: ApprovalRequest, document: Json): Promise<void> {
    const body = JSON.stringify(document);
    const delays = this.#options.delaysMs ?? usualDelaysMs;
    let reason = '';
    for (let attempt = 0; attempt <= delays.length && !this.#ending.signal.aborted; attempt++) {
      if (attempt > 0) await sleep(delays[attempt - 1] as number, this.#ending.signal);
      try {
        const status = await this.#send(place, body);
        if (status >= 200 && status < 300) {
          this.#record(id, 'sent');
          return;
        }
        reason = `the answer was ${status}`;
      } catch (error) {
        const { code, message } = asHostError(error);
        reason = message;
        // What is not allowed now will not be allowed in a moment.
        if (code === 'network_denied') break;
      }
    }
    this.#record(id, 'failed', reason);
  }

  async #send({ url, granted }: NoticePlace, body: string): Promise<number> {
    const { client, key, now } = this.#options;
    const { host, port, tls } = parseDestination(url);
    const time = Math.floor(now() / 1000);
    const signature = createHmac('sha256', await key())
      .update(`${time}.${body}`)
      .digest('hex');
    const response = await client.send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'toolwharf-signature': `t=${time},v1=${signature}`,
      },
      body,
      reach: { hosts: [{ host, port: port === (tls ? 443 : 80) ? null : port }], granted },
      limits: { wallMs, bodyBytes: answerBytes },
      // It is signed for one place: whoever redirects gets nothing.
      credential: true,
      signal: this.#ending.signal,
    });
    return response.status;
  }

  #record(approval: string, notice: string, reason?: string): void {
    const body = { approval, notice, ...(reason === undefined ? {} : { reason }) };
    // A record that cannot be written stops calls, not notices.
    this.#options.audit.append({ kind: 'hold', body }).catch(() => {});
  }
}

/** What is said of a call elsewhere: enough to go and look, and nothing of what its arguments say. */
function documentOf(request: ApprovalRequest, { tool }: CallableTool): Json {
  return {
    schema: 'toolwharf/held-call@1',
    id: request.id,
    tool: request.tool,
    kind: request.kind,
    principal: request.principal,
    reasons: request.reasons,
    shape: shapeOf(request.arguments, tool.input),
    createdAt: new Date(request.createdAt).toISOString(),
    expiresAt: new Date(request.expiresAt).toISOString(),
    look: `toolwharf approvals show ${request.id}`,
  };
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
