import type { ApprovalRequest } from '../../model/approval.js';
import { asHostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { Tool } from '../../model/tool.js';
import { shapeOf } from '../../policy/input-shape.js';
import type { AuditLog } from '../../store/audit-log.js';
import { postSigned, type WebhookSender, type WebhookTarget } from './webhook.js';

/** The tool that a notice is about. */
export interface NoticeSubject {
  readonly tool: Tool;
  /** Null if no webhook is configured. */
  readonly noticeTarget: WebhookTarget | null;
}

export interface NoticeOptions extends WebhookSender {
  readonly audit: AuditLog;
  /** Delays before the second attempt, the third, and so on. */
  readonly delaysMs?: readonly number[];
}

/** Notices being sent at a time. Further ones are not sent, with an audit entry. */
const maxOpen = 100;
const defaultDelaysMs = [1000, 5000, 25_000];
/** How long a closing host waits for notices that are being sent. */
const closeTimeoutMs = 2000;

/**
 * Sends webhook notices about held calls, for example to a chat or a pager. They only inform: a response decides nothing,
 * argument values are never sent, and no call waits for a notice.
 */
export class Notices {
  readonly #options: NoticeOptions;
  readonly #open = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: NoticeOptions) {
    this.#options = options;
  }

  send(request: ApprovalRequest, subject: NoticeSubject): void {
    const { noticeTarget } = subject;
    if (noticeTarget === null) return;
    if (this.#open.size >= maxOpen || this.#ending.signal.aborted) {
      this.#audit(request.id, 'not sent', 'too many other notices are being sent');
      return;
    }
    const work: Promise<void> = this.#deliver(noticeTarget, request, noticeBody(request, subject)).finally(
      () => this.#open.delete(work),
    );
    this.#open.add(work);
  }

  async close(): Promise<void> {
    const timeout = sleep(closeTimeoutMs, this.#ending.signal);
    await Promise.race([Promise.all([...this.#open]), timeout]);
    this.#ending.abort();
    await Promise.all([...this.#open]);
  }

  async #deliver(target: WebhookTarget, { id }: ApprovalRequest, document: Json): Promise<void> {
    const body = JSON.stringify(document);
    const delays = this.#options.delaysMs ?? defaultDelaysMs;
    let reason = '';
    for (let attempt = 0; attempt <= delays.length && !this.#ending.signal.aborted; attempt++) {
      if (attempt > 0) await sleep(delays[attempt - 1] as number, this.#ending.signal);
      try {
        const status = await postSigned(this.#options, target, body, this.#ending.signal);
        if (status >= 200 && status < 300) {
          this.#audit(id, 'sent');
          return;
        }
        reason = `the webhook answered with status ${status}`;
      } catch (error) {
        const { code, message } = asHostError(error);
        reason = message;
        // A retry would be denied as well.
        if (code === 'network_denied') break;
      }
    }
    this.#audit(id, 'failed', reason);
  }

  #audit(approval: string, notice: string, reason?: string): void {
    const body = { approval, notice, ...(reason === undefined ? {} : { reason }) };
    // If the audit log cannot be written, calls stop; notices need not.
    this.#options.audit.append({ kind: 'hold', body }).catch(() => {});
  }
}

/** Enough to find the held call, without the values of its arguments. */
function noticeBody(request: ApprovalRequest, { tool }: NoticeSubject): Json {
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
    command: `toolwharf approvals show ${request.id}`,
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
