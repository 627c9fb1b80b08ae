import { asHostError } from '../../model/host-error.js';
import { notifyTargetName } from '../../model/notify-target.js';
import type { OpenedValue } from '../../secrets/vault.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { ApprovalLinkOperations } from './approval-links.js';
import type { Notice } from './notice.js';
import { noticeMessage } from './notice-message.js';
import { type NoticeTarget, type ReadyTarget, readyTarget } from './notice-target.js';
import { postJson, postSigned, type WebhookSender } from './webhook.js';

export interface NoticeOptions extends WebhookSender {
  readonly audit: AuditLog;
  /** Opens a value of the host itself, by its name. */
  readonly secretOf: (slot: string) => Promise<OpenedValue | undefined>;
  /** Names the page of a held call. */
  readonly links: Pick<ApprovalLinkOperations, 'linkTo'>;
  /** Delays before the second attempt, the third, and so on. */
  readonly delaysMs?: readonly number[];
}

/** Notices being sent at a time. Further ones are not sent, with an audit entry. */
const maxOpen = 100;
const defaultDelaysMs = [1000, 5000, 25_000];
/** How long a closing host waits for notices that are being sent. */
const closeTimeoutMs = 2000;

/**
 * Sends notices about held calls, install requests and violations, for example to a chat or a pager. They only inform: a
 * response decides nothing, argument values are sent only where the operator wants them, and no call waits for a notice.
 */
export class Notices {
  readonly #options: NoticeOptions;
  readonly #open = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: NoticeOptions) {
    this.#options = options;
  }

  /** Sends a notice to all targets, in the background. */
  send(notice: Notice, targets: readonly NoticeTarget[]): void {
    for (const target of targets) {
      if (this.#open.size >= maxOpen || this.#ending.signal.aborted) {
        this.#audit(notice, target, 'not sent', 'too many other notices are being sent');
        continue;
      }
      const work: Promise<void> = this.#deliver(notice, target).finally(() => this.#open.delete(work));
      this.#open.add(work);
    }
  }

  async close(): Promise<void> {
    const timeout = sleep(closeTimeoutMs, this.#ending.signal);
    await Promise.race([Promise.all([...this.#open]), timeout]);
    this.#ending.abort();
    await Promise.all([...this.#open]);
  }

  async #deliver(notice: Notice, target: NoticeTarget): Promise<void> {
    const delays = this.#options.delaysMs ?? defaultDelaysMs;
    const { signal } = this.#ending;
    let reason = '';
    for (let attempt = 0; attempt <= delays.length && !signal.aborted; attempt++) {
      if (attempt > 0) await sleep(delays[attempt - 1] as number, signal);
      let secrets: readonly string[] = [];
      try {
        const ready = await readyTarget(target, this.#options.secretOf);
        secrets = ready.secrets;
        const status = await this.#post(notice, target, ready);
        if (status >= 200 && status < 300) {
          this.#audit(notice, target, 'sent');
          return;
        }
        reason = `the ${target.kind === 'webhook' ? 'webhook' : 'service'} answered with status ${status}`;
      } catch (error) {
        const { code, message } = asHostError(error);
        reason = secrets.reduce((text, it) => text.replaceAll(it, '(secret)'), message);
        // A retry would fail as well.
        if (code === 'network_denied' || code === 'needs_setup') break;
      }
    }
    this.#audit(notice, target, 'failed', reason);
  }

  /** Only our own documents are signed: a chat has no use for the signature. */
  async #post(notice: Notice, target: NoticeTarget, { url, topic, headers }: ReadyTarget): Promise<number> {
    const link = notice.held === null ? null : await this.#options.links.linkTo(notice.held);
    const body = JSON.stringify(noticeMessage(target, notice, { url: link, topic }));
    const place = { url, granted: target.granted, certificates: target.certificates };
    const { signal } = this.#ending;
    return target.kind === 'webhook'
      ? postSigned(this.#options, place, body, signal, headers)
      : postJson(this.#options.client, place, body, signal, headers);
  }

  #audit({ kind, subject }: Notice, target: NoticeTarget, notice: string, reason?: string): void {
    const to = notifyTargetName(target);
    const body = { ...subject, notice, to, ...(reason === undefined ? {} : { reason }) };
    // If the audit log cannot be written, calls stop; notices need not.
    this.#options.audit.append({ kind, body }).catch(() => {});
  }
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
