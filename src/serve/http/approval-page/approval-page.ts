import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Host } from '../../../host/host.js';
import type { ApprovalRequest } from '../../../model/approval.js';
import { approvalPagePath } from '../../../model/approval-path.js';
import { HostError } from '../../../model/host-error.js';
import { type HttpReply, sendReply } from '../http-reply.js';
import { readForm } from './form-body.js';
import { browserIn, FormTickets, newBrowser } from './form-ticket.js';
import { heldCallPage, messagePage } from './page-html.js';
import { pageHeaders } from './page-style.js';

export interface ApprovalPageOptions {
  readonly now: () => number;
  /** Time for the client to read the response. */
  readonly readMs: number;
}

/** One request for the page of a held call. */
interface PageVisit {
  readonly request: IncomingMessage;
  readonly id: string;
  readonly signature: string;
  /** The origin of this server, as the browser sees it. */
  readonly origin: string;
}

/** Whom the audit log names. Nothing proves who opened the link. Wrong PINs of this channel delay only this page. */
const actor = { name: 'approval page', channel: 'page' } as const;

/**
 * The page where a person decides about one held call. The link only shows the call, because an agent can follow links
 * too: approving needs the PIN if one is set, and is recorded as unverified otherwise. GET changes nothing, so that
 * programs which fetch links in advance decide nothing.
 */
export class ApprovalPage {
  readonly #host: Pick<Host, 'approvals' | 'operator'>;
  readonly #options: ApprovalPageOptions;
  readonly #tickets: FormTickets;

  constructor(host: Pick<Host, 'approvals' | 'operator'>, options: ApprovalPageOptions) {
    this.#host = host;
    this.#options = options;
    this.#tickets = new FormTickets(options.now);
  }

  /** Whether a path belongs to the page. */
  static owns(path: string): boolean {
    return path.startsWith(approvalPagePath);
  }

  /** Answers one request. The Host header was checked before. */
  async serve(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
    sendReply(response, await this.#answer(request, origin), this.#options.readMs);
  }

  async #answer(request: IncomingMessage, origin: string): Promise<HttpReply> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const id = pathname.slice(approvalPagePath.length);
    const signature = searchParams.get('t') ?? '';
    // A token opens nothing here, whatever its role: a person comes with a link and a browser.
    const isFromProgram = request.headers.authorization !== undefined;
    if (isFromProgram || !/^[A-Za-z0-9_-]{1,100}$/.test(id)) return notFound();
    switch (await this.#host.approvals.links.check(id, signature)) {
      case 'invalid':
        return notFound();
      case 'expired':
        return page(410, messagePage('This link has expired', 'The call can no longer be decided.'));
      case 'valid':
        break;
    }
    const visit: PageVisit = { request, id, signature, origin };
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return this.#show(visit);
      case 'POST':
        return this.#decide(visit);
      default:
        return page(405, messagePage('Not allowed', 'This page can be opened and its form can be sent.'), {
          allow: 'GET, HEAD, POST',
        });
    }
  }

  async #show(visit: PageVisit, status = 200, problem?: string): Promise<HttpReply> {
    const held = await this.#find(visit.id);
    if (held === undefined) return notFound();
    const now = this.#options.now();
    if (held.state !== 'proposed') return page(status, heldCallPage(held, now, undefined));
    const cookie = cookieOf(visit);
    const browser = browserIn(visit.request.headers.cookie, cookie.name) ?? newBrowser();
    const { set: needsPin } = await this.#host.operator.pin();
    const form = { ticket: this.#tickets.create(visit.id, browser), needsPin, problem };
    return page(status, heldCallPage(held, now, form), {
      'set-cookie': `${cookie.name}=${browser}; ${cookie.attributes}`,
    });
  }

  async #decide(visit: PageVisit): Promise<HttpReply> {
    const { request, id, signature } = visit;
    if (!isFromOwnForm(visit))
      return page(403, messagePage('Not accepted', 'The form was not sent by this page.'));
    const fields = await readForm(request);
    const browser = browserIn(request.headers.cookie, cookieOf(visit).name);
    if (browser === undefined || !this.#tickets.use(fields.get('ticket') ?? '', id, browser))
      return this.#show(visit, 403, 'The form was sent before, is too old, or cookies are off. Try again.');
    const note = fields.get('note');
    const pin = fields.get('pin');
    try {
      switch (fields.get('decision')) {
        case 'deny':
          await this.#host.approvals.deny(id, actor, note);
          break;
        case 'approve':
          await this.#host.approvals.approve(
            id,
            { ...actor, ...(pin ? { pin } : {}) },
            note,
            fields.get('asked') || undefined,
          );
          break;
        default:
          return this.#show(visit, 400, 'Choose Approve or Deny.');
      }
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      // Somebody else decided first, or the call expired: the page shows the state that counts.
      if (error.code !== 'approval_denied') return this.#show(visit, 403, problemText(error, id));
    }
    const location = `${approvalPagePath}${id}?t=${signature}`;
    return page(303, messagePage('Decided', 'The page shows the decision.'), { location });
  }

  async #find(id: string): Promise<ApprovalRequest | undefined> {
    try {
      return await this.#host.approvals.get(id);
    } catch (error) {
      if (error instanceof HostError && error.code === 'approval_not_found') return undefined;
      throw error;
    }
  }
}

/** The hints of errors name commands and paths of the API. This page has its own words. */
function problemText({ code, message, hint }: HostError, id: string): string {
  if (code === 'pin_required')
    return message === 'the PIN is wrong' ? 'The PIN is wrong.' : 'Approving needs the PIN.';
  const text = [message, hint].filter((it) => it !== undefined).join('; ');
  return code === 'rate_limited' ? `${text}: toolwharf approvals approve ${id}` : text;
}

/**
 * A browser that keeps the address of this page to itself sends the origin `null`, even to this page. Then it must say that the
 * form is from the same site.
 */
function isFromOwnForm({ request, origin }: PageVisit): boolean {
  const { origin: sent, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (sent?.toLowerCase() === origin) return true;
  return site === 'same-origin' && (sent === undefined || sent === 'null');
}

/** One cookie for each held call, so that forms in several tabs do not disturb each other. */
function cookieOf({ id, origin }: PageVisit): { readonly name: string; readonly attributes: string } {
  const isSecure = origin.startsWith('https:');
  return {
    name: isSecure ? '__Secure-toolwharf-approve' : 'toolwharf-approve',
    attributes: `Path=${approvalPagePath}${id}; Max-Age=1800; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  };
}

/** The same for every wrong link, so that nobody learns which calls exist. */
function notFound(): HttpReply {
  return page(404, messagePage('Not found', 'There is no such page. Check that the link is complete.'));
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): HttpReply {
  return { status, type: 'text/html; charset=utf-8', body, headers: { ...pageHeaders, ...headers } };
}
