import { createHash } from 'node:crypto';

/** The style of the page. It is part of the document, so that the page needs no second request. */
export const pageStyle = `
:root { color-scheme: light dark; --text: #1b1f24; --dim: #57606a; --back: #f6f8fa; --card: #fff; --line: #d0d7de;
  --yes: #1a7f37; --no: #b3261e; --note: #fff8c5; --note-line: #d4a72c; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --dim: #9da7b3; --back: #0d1117; --card: #161b22; --line: #3d444d;
    --yes: #238636; --no: #c93c37; --note: #2d2305; --note-line: #9e6a03; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 16px; background: var(--back); color: var(--text);
  font: 16px/1.45 system-ui, sans-serif; }
main { max-width: 720px; margin: 0 auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; padding: 18px; }
h1 { font-size: 1.3rem; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 20px 0 8px; }
p { margin: 6px 0; }
.dim { color: var(--dim); }
.note { background: var(--note); border-left: 4px solid var(--note-line); padding: 8px 12px; border-radius: 4px; }
.error { border-left: 4px solid var(--no); padding: 8px 12px; background: var(--back); border-radius: 4px; }
dl { margin: 0; }
dt { color: var(--dim); font-size: .9rem; margin-top: 10px; overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { margin: 2px 0; padding: 8px 10px; background: var(--back); border: 1px solid var(--line); border-radius: 6px;
  font: 14px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 6px 0; overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 20px; }
li { overflow-wrap: anywhere; }
label { display: block; margin-top: 12px; }
input { width: 100%; margin-top: 4px; padding: 10px; font: inherit; color: inherit; background: var(--back);
  border: 1px solid var(--line); border-radius: 6px; }
.buttons { display: flex; gap: 12px; margin-top: 18px; }
button { flex: 1; min-height: 48px; border: 0; border-radius: 8px; font: inherit; font-weight: 600; color: #fff;
  cursor: pointer; }
.yes { background: var(--yes); }
.no { background: var(--no); }
:focus-visible { outline: 3px solid #0969da; outline-offset: 2px; }
`;

const digest = createHash('sha256').update(pageStyle).digest('base64');

/** Headers of every answer of the page: nothing is loaded, run, framed, cached or sent elsewhere. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${digest}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
};
