// One-line descriptions of what a package runs and contacts, for comparison and display.
import type { Action } from '../../model/action.js';
import { canonicalJson } from '../../model/json.js';
import type { InstallPlan, KillSwitchPlan, SmokeTest } from '../../model/lifecycle.js';
import type { ProgramTarget } from '../../model/program.js';
import type { JsonTemplate, Template } from '../../model/template.js';

export function commandText(target: ProgramTarget): string {
  switch (target.kind) {
    case 'process': {
      const folder = target.directory === '' ? '' : ` (in ${quoteIfNeeded(target.directory)})`;
      return `${target.command.map(templateText).join(' ')}${folder}`;
    }
    case 'container':
      return ['container', quoteIfNeeded(target.image), ...target.command.map(templateText)].join(' ');
    case 'url':
      return `server ${quoteIfNeeded(target.url)}`;
    case 'nats':
      return `NATS ${quoteIfNeeded(target.subjectPrefix)}`;
  }
}

/** What a call contacts and with which credentials. The content of requests is left out, like the code of a package. */
export function actionText(action: Action | null): string {
  switch (action?.kind) {
    case undefined:
      return '';
    case 'exec':
      return ['runs', quoteIfNeeded(action.program), ...action.arguments.map(templateText)].join(' ');
    case 'function':
      return `runs code of ${quoteIfNeeded(action.program)}`;
    case 'http': {
      const used = slotsOf(action);
      const as = used.length === 0 ? '' : ` with ${used.map(quoteIfNeeded).join(', ')}`;
      return `sends ${action.method} requests to ${quoteIfNeeded(action.url.origin)}${as}`;
    }
    case 'prompt':
      return 'answers with a prompt';
    case 'compose':
      return `calls ${quoteIfNeeded(`${action.package}/${action.tool}`)}`;
    case 'upstream':
      return `asks ${quoteIfNeeded(action.program)} for ${quoteIfNeeded(action.tool)}`;
  }
}

function slotsOf(action: Extract<Action, { kind: 'http' }>): string[] {
  const { url, headers, body, credential } = action;
  const templates = [url.path, ...url.query.map((it) => it.value), ...headers.map((it) => it.value)];
  if (body.kind === 'text') templates.push(body.body);
  else if (body.kind === 'form') templates.push(...body.fields.map((it) => it.value));
  else if (body.kind === 'json') templates.push(...templatesOf(body.body));
  const used = templates.flatMap((it) =>
    it.parts.flatMap((part) => (part.kind === 'slot' ? [part.slot] : [])),
  );
  return sortedUnique(credential === undefined ? used : [...used, credential]);
}

function templatesOf(json: JsonTemplate): Template[] {
  switch (json.kind) {
    case 'literal':
      return [];
    case 'template':
      return [json.template];
    case 'array':
      return json.items.flatMap(templatesOf);
    case 'object':
      return json.members.flatMap((it) => templatesOf(it.value));
  }
}

export function installText(plan: InstallPlan): string {
  switch (plan.kind) {
    case 'bundled':
      return '';
    case 'pip':
      return `pip ${quoteIfNeeded(plan.package)} ${quoteIfNeeded(plan.version ?? 'newest')}`;
    case 'npm': {
      const scripts = sortedUnique(plan.scripts ?? []).map(quoteIfNeeded);
      const builds = scripts.length === 0 ? '' : `, and runs the install scripts of ${scripts.join(', ')}`;
      return `npm ${quoteIfNeeded(plan.package)} ${quoteIfNeeded(plan.version ?? 'newest')}${builds}`;
    }
    case 'git':
      return `git ${quoteIfNeeded(plan.url)} ${quoteIfNeeded(plan.ref)} ${quoteIfNeeded(plan.subpath ?? '.')}`;
    case 'container':
      return `container ${quoteIfNeeded(plan.image)}`;
    case 'url':
      return `${quoteIfNeeded(plan.url)} with SHA-256 ${quoteIfNeeded(plan.sha256)}${plan.file === undefined ? '' : `, as ${quoteIfNeeded(plan.file)}`}`;
    case 'object':
      return `object ${quoteIfNeeded(plan.key)}`;
  }
}

export function smokeText(smoke: SmokeTest | undefined): string {
  if (smoke === undefined) return '';
  const { check } = smoke;
  switch (check.kind) {
    case 'program':
      return `runs ${quoteIfNeeded(check.program)}`;
    case 'http': {
      const headers = sortedUnique(
        check.headers.map((it) => `${quoteIfNeeded(it.name)}:${templateText(it.value)}`),
      );
      const body = check.body === undefined ? '' : ` ${templateText(check.body)}`;
      return [check.method, quoteIfNeeded(check.url), ...headers].join(' ') + body;
    }
    case 'upstream':
    case 'tool':
      return `calls ${quoteIfNeeded(check.tool)} with ${canonicalJson(check.arguments)}`;
    case 'start':
      return 'starts it and lists its tools';
  }
}

export function killSwitchText(kill: KillSwitchPlan | undefined): string {
  if (kill === undefined) return '';
  if (kill.kind === 'program') return `runs ${quoteIfNeeded(kill.program)}`;
  return kill.kind === 'url' ? `asks ${quoteIfNeeded(kill.url)}` : 'is done by hand';
}

/** One argument. Text that looks like a placeholder or like two arguments is quoted, so that no two look the same. */
export function templateText(template: Template): string {
  if (template.parts.length === 0) return '""';
  return template.parts
    .map((part) => {
      if (part.kind === 'text') return quoteIfNeeded(part.text);
      return part.kind === 'input'
        ? `<input ${part.path.map(quoteIfNeeded).join(' ')}>`
        : `<slot ${quoteIfNeeded(part.slot)}>`;
    })
    .join('');
}

export function quoteIfNeeded(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./~-]+$/.test(text) ? text : JSON.stringify(text);
}

/** For lists in which order and duplicates have no meaning. */
export function sortedUnique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
