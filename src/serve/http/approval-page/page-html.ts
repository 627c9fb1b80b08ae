import { type ApprovalRequest, isHeldForTaint, maxAsked } from '../../../model/approval.js';
import { splitToolName } from '../../../model/tool-name.js';
import { escapeHtml } from '../../export/text.js';
import { heldFacts } from '../../print/held-call.js';
import { revealLine } from '../../print/reveal.js';
import { argumentRows } from './argument-view.js';
import { pageStyle } from './page-style.js';

/** The form below an undecided call. */
export interface DecisionForm {
  readonly ticket: string;
  /** Whether approving needs the PIN. */
  readonly needsPin: boolean;
  /** Why the last attempt had no effect. */
  readonly problem?: string | undefined;
}

/** The whole page of one held call. `form`: only while it is undecided. */
export function heldCallPage(request: ApprovalRequest, now: number, form: DecisionForm | undefined): string {
  const [packageId, tool = packageId] = splitToolName(request.tool);
  const facts = heldFacts(request).filter(([label]) => label !== 'arguments' && label !== 'because');
  return document(
    [
      `<h1>${line(tool)}</h1>`,
      `<p class="dim">of the package ${line(packageId)}</p>`,
      stateText(request),
      '<h2>Arguments</h2>',
      argumentRows(request.arguments),
      '<h2>Why it is held</h2>',
      `<ul>${request.reasons.map((it) => `<li>${line(it)}</li>`).join('')}</ul>`,
      '<h2>About the call</h2>',
      '<dl>',
      ...facts.map(([label, text]) => row(label, escapeHtml(text))),
      row(
        'asked by',
        `${line(request.principal)}${request.client === '' ? '' : `, client ${line(request.client)}`}`,
      ),
      row('asked', `${escapeHtml(ageText(now - request.createdAt))} ago`),
      row('can be decided until', escapeHtml(untilText(request, now))),
      row('id', line(request.id)),
      '</dl>',
      form === undefined ? '' : formView(form, isHeldForTaint(request)),
    ].join('\n'),
  );
}

/** A page that only says something. */
export function messagePage(title: string, text: string): string {
  return document(`<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>`);
}

function formView({ ticket, needsPin, problem }: DecisionForm, asksForWords: boolean): string {
  return [
    '<h2>Decide</h2>',
    problem === undefined ? '' : `<p class="error" role="alert">${escapeHtml(problem)}</p>`,
    '<form method="post" autocomplete="off">',
    `<input type="hidden" name="ticket" value="${escapeHtml(ticket)}">`,
    '<label>Note <span class="dim">(optional; the agent reads the note of a denial)</span>',
    '<input name="note" maxlength="500"></label>',
    asksForWords
      ? `<label>What did you ask for? <span class="dim">(optional, in your own words; what it names needs no question later)</span>\n<input name="asked" maxlength="${maxAsked}"></label>`
      : '',
    needsPin
      ? '<label>PIN <span class="dim">(to approve; denying needs none)</span>\n<input name="pin" type="password" inputmode="text" autocomplete="off"></label>'
      : '<p class="note">No PIN is set. Anyone with this link can approve, also an agent, and the approval is recorded as unverified. Set a PIN: toolwharf pin set</p>',
    // The first button is what Enter in a field presses. Disabled, so that Enter decides nothing by accident.
    '<button disabled hidden></button>',
    '<div class="buttons">',
    '<button class="no" name="decision" value="deny">Deny</button>',
    '<button class="yes" name="decision" value="approve">Approve</button>',
    '</div>',
    '<p class="dim">Approving runs exactly this call, once.</p>',
    '</form>',
  ].join('\n');
}

function stateText({ state, decision, voidReason }: ApprovalRequest): string {
  if (state === 'proposed') return '<p>An agent wants to make this call. It has not run.</p>';
  const texts: Record<Exclude<ApprovalRequest['state'], 'proposed'>, string> = {
    approved: 'Approved. It runs once, when the agent asks again.',
    denied: 'Denied. It does not run.',
    expired: 'Expired. Nobody decided in time, so it does not run.',
    void: `No longer valid${voidReason === null ? '' : `: ${voidReason}`}. It does not run.`,
    executing: 'Approved. It was started, and there is no result yet.',
    executed: 'Approved, and it has run.',
  };
  const by =
    decision === null
      ? ''
      : ` Decided by ${decision.by} (${decision.channel}, ${decision.verified ? 'with the PIN' : 'unverified'}) at ${timeText(decision.at)}.`;
  return `<p class="note" role="status">${line(`${texts[state]}${by}`)}</p>`;
}

function document(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Held call – Toolwharf</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

function row(label: string, html: string): string {
  return `<dt>${escapeHtml(label)}</dt><dd>${html}</dd>`;
}

function line(text: string): string {
  return escapeHtml(revealLine(text));
}

function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function untilText({ state, expiresAt }: ApprovalRequest, now: number): string {
  const left = expiresAt - now;
  return state === 'proposed' && left > 0
    ? `${timeText(expiresAt)}, in ${ageText(left)}`
    : timeText(expiresAt);
}

function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `${Math.round(seconds / 60)} minutes`;
}
