// How the parts of a package that run or are asked are written down, for comparing and for showing.
import type { Action } from '../model/action.js';
import { canonicalJson } from '../model/json.js';
import type { InstallPlan, KillSwitch, Smoke } from '../model/lifecycle.js';
import type { ProgramTarget } from '../model/program.js';
import type { JsonTemplate, Template } from '../model/template.js';

export function commandText(target: ProgramTarget): string {
  switch (target.kind) {
    case 'process': {
      const folder = target.directory === '' ? '' : ` (in ${word(target.directory)})`;
      return `${target.command.map(templateText).join(' ')}${folder}`;
    }
    case 'container':
      return ['container', word(target.image), ...target.command.map(templateText)].join(' ');
    case 'url':
      return `server ${word(target.url)}`;
    case 'nats':
      return `NATS ${word(target.subjectPrefix)}`;
  }
}

/** Where a call goes and as whom. What it says there is the package's own matter, like its code. */
export function actionText(action: Action | null): string {
  switch (action?.kind) {
    case undefined:
      return '';
    case 'exec':
      return ['runs', word(action.program), ...action.arguments.map(templateText)].join(' ');
    case 'function':
      return `runs code of ${word(action.program)}`;
    case 'http': {
      const used = slotsOf(action);
      const as = used.length === 0 ? '' : ` with ${used.map(word).join(', ')}`;
      return `sends ${action.method} requests to ${word(action.url.origin)}${as}`;
    }
    case 'prompt':
      return 'answers with a prompt';
    case 'compose':
      return `calls ${word(`${action.package}/${action.tool}`)}`;
    case 'upstream':
      return `asks ${word(action.program)} for ${word(action.tool)}`;
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
  return sorted(credential === undefined ? used : [...used, credential]);
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
    case 'npm':
      return `${plan.kind} ${word(plan.package)} ${word(plan.version ?? 'newest')}`;
    case 'git':
      return `git ${word(plan.url)} ${word(plan.ref)} ${word(plan.subpath ?? '.')}`;
    case 'container':
      return `container ${word(plan.image)}`;
    case 'url':
      return `${word(plan.url)} with SHA-256 ${word(plan.sha256)}`;
    case 'object':
      return `object ${word(plan.key)}`;
  }
}

export function smokeText(smoke: Smoke | undefined): string {
  if (smoke === undefined) return '';
  const { check } = smoke;
  switch (check.kind) {
    case 'program':
      return `runs ${word(check.program)}`;
    case 'http': {
      const headers = sorted(check.headers.map((it) => `${word(it.name)}:${templateText(it.value)}`));
      const body = check.body === undefined ? '' : ` ${templateText(check.body)}`;
      return [check.method, word(check.url), ...headers].join(' ') + body;
    }
    case 'upstream':
    case 'tool':
      return `calls ${word(check.tool)} with ${canonicalJson(check.arguments)}`;
  }
}

export function killSwitchText(kill: KillSwitch | undefined): string {
  if (kill === undefined) return '';
  if (kill.kind === 'program') return `runs ${word(kill.program)}`;
  return kill.kind === 'url' ? `asks ${word(kill.url)}` : 'is done by hand';
}

/** One argument. Text that could be taken for a hole or for two arguments is quoted, so that no two look alike. */
export function templateText(template: Template): string {
  if (template.parts.length === 0) return '""';
  return template.parts
    .map((part) => {
      if (part.kind === 'text') return word(part.text);
      return part.kind === 'input' ? `<input ${part.path.map(word).join(' ')}>` : `<slot ${word(part.slot)}>`;
    })
    .join('');
}

export function word(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./~-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Order and repetition say nothing. */
export function sorted(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
