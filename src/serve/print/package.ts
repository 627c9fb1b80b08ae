// A package as text for people: what it is, what it can access and what it asks for.

import type { PackageState } from '../../host/host.js';
import type { Fact, Package } from '../../model/package.js';
import type { CallAccess, FilesystemAccess, NetworkAccess } from '../../model/permissions.js';
import { type Program, runsElsewhere } from '../../model/program.js';
import type { Slot } from '../../model/slot.js';
import { isSupportFact } from '../../model/support-facts.js';
import type { Template } from '../../model/template.js';
import type { Tool } from '../../model/tool.js';
import { inputNames, printInputs } from './inputs.js';
import { costTexts, factText, smokeTestText } from './lifecycle.js';
import type { Style } from './style.js';
import { scopesText } from './values.js';
import { visibleLine } from './visible.js';
import { pad, wrap } from './width.js';

export function printPackage(
  pkg: Package,
  announced: PackageState['tools'],
  style: Style,
  columns: number,
): string {
  const later = announced.filter((it) => !pkg.tools.some((tool) => tool.name === it.name));
  const lines = [
    style.bold(visibleLine(`${pkg.name} ${pkg.version}`)) + style.dim(`  ${pkg.id}, ${pkg.format}`),
    ...wrap(visibleLine(pkg.description), columns),
    '',
  ];
  const section = (title: string, entries: readonly string[]) => {
    if (entries.length === 0) return;
    for (const [index, entry] of entries.entries()) {
      const parts = wrap(visibleLine(entry), Math.max(20, columns - 13));
      lines.push(
        ...parts.map((it, line) => `${style.bold(pad(index === 0 && line === 0 ? title : '', 13))}${it}`),
      );
    }
  };
  section('Runs', pkg.programs.map(describeProgram));
  section('Network', [describeNetwork(pkg.permissions.network)]);
  section('Files', [describeFiles(pkg)]);
  section(
    'Reasons',
    pkg.permissions.scopes.map(
      (it) =>
        `${it.resource} (${it.verbs.join(', ')}${it.providerScope === undefined ? '' : `; ${it.providerScope}`}): ${it.rationale}`,
    ),
  );
  section('Needs', [
    ...pkg.needs.binaries.map((it) => `the program ${it}`),
    ...(pkg.needs.hostVersion === undefined ? [] : [`host version ${pkg.needs.hostVersion} or newer`]),
  ]);
  section('Asks for', pkg.slots.map(describeSlot));
  section('Installs', describeInstall(pkg));
  section('Guardrails', describeGuardrails(pkg));
  section(
    'Hooks',
    pkg.hooks.map((it) => `${it.point.replaceAll('_', ' ')} (priority ${it.priority})`),
  );
  section(
    'Prompts',
    pkg.prompts.map((it) => `${it.name}: ${it.description || it.title}`),
  );
  section('Not served', (pkg.notServed ?? []).map(describeNotServed));
  section('Costs', costTexts(pkg.cost));
  section('Smoke test', pkg.smoke === undefined ? [] : [smokeTestText(pkg.smoke)]);
  section('Revoked by', describeKillSwitch(pkg));
  section('Made for', pkg.targets.length === 0 ? [] : [pkg.targets.join(', ')]);
  section('Support', pkg.facts.filter(isSupportFact).map(factText));
  section('Other facts', pkg.facts.filter((it) => !isSupportFact(it)).map(factText));
  const toolCount = pkg.tools.length + later.length;
  if (toolCount > 0 || pkg.announcesTools) lines.push('', style.bold(toolCount === 1 ? 'Tool' : 'Tools'));
  lines.push(
    ...pkg.tools.flatMap((it) => describeTool(it, style, columns)),
    ...later.flatMap((it) => [
      `  ${style.bold(visibleLine(it.name))}  ${style.dim('announced by its program')}`,
      ...indented(it.description, columns),
    ]),
  );
  if (pkg.announcesTools) lines.push(style.dim('  more tools may appear when it runs'));
  return `${lines.join('\n')}\n`;
}

function describeNotServed({ label, value }: Fact): string {
  const names = Array.isArray(value) ? value.map(String).join(', ') : JSON.stringify(value);
  return `${label} (declared, not served): ${names}`;
}

const states: Record<PackageState['state'], string> = {
  ready: 'It is ready.',
  'needs-setup': 'It needs setup.',
  unavailable: 'It is unavailable.',
  'needs-review': 'It needs review before it can run.',
  disabled: 'It is disabled.',
  broken: 'It is broken.',
  killed: 'It is stopped by the kill switch.',
};

/** The state of a package, with each reason on its own line. */
export function printPackageState(it: PackageState, style: Style, columns: number): string {
  const paint = it.state === 'ready' ? style.good : it.state === 'broken' ? style.error : style.warning;
  const lines = [`${paint(states[it.state])} ${sandboxText(it)}`];
  const narrowed = (it.narrowed ?? []).map((line) => `you narrowed it: ${line}`);
  for (const reason of [...it.reasons, ...narrowed]) {
    const parts = wrap(visibleLine(reason), Math.max(20, columns - 4));
    lines.push(...parts.map((part, index) => `  ${index === 0 ? '-' : ' '} ${part}`));
  }
  return `${lines.join('\n')}\n`;
}

/** This machine's sandbox does not cover programs that run elsewhere. */
function sandboxText({ package: pkg, sandbox }: PackageState): string {
  const programs = pkg?.programs ?? [];
  const elsewhere = programs.filter(runsElsewhere).length;
  if (elsewhere === 0)
    return sandbox === 'degraded'
      ? 'Its sandbox is degraded (toolwharf doctor says why).'
      : `Its sandbox is ${sandbox}.`;
  const who = elsewhere === programs.length ? 'It' : 'A part of it';
  return `${who} runs elsewhere, outside of this host's sandbox.`;
}

function describeProgram(program: Program): string {
  const { target, lifetime, role } = program;
  const how = lifetime === 'persistent' ? 'keeps running' : 'starts for each call';
  const what = role === 'tool' || role === 'extension' ? '' : ` (${role})`;
  switch (target.kind) {
    case 'process': {
      const runtime =
        target.runtime === undefined
          ? ''
          : `${target.runtime.language}${target.runtime.version === undefined ? '' : ` ${target.runtime.version}`} `;
      const packages = target.runtime?.packages.length ? `, with ${target.runtime.packages.join(', ')}` : '';
      return `${runtime}${target.command.map(templateText).join(' ')}${packages}; ${how}${what}`;
    }
    case 'container':
      return `container ${target.image}; ${how}${what}`;
    case 'url':
      return `connects to ${target.url}${what}`;
    case 'nats':
      return `connects over NATS, subject prefix ${target.subjectPrefix}${what}`;
  }
}

function templateText(template: Template): string {
  return template.parts
    .map((it) =>
      it.kind === 'text' ? it.text : it.kind === 'input' ? `‹${it.path.join('.')}›` : `‹${it.slot}›`,
    )
    .join('');
}

function describeNetwork(network: NetworkAccess): string {
  switch (network.kind) {
    case 'none':
      return 'none';
    case 'public':
      return 'any public address';
    case 'hosts':
      if (network.hosts.length === 0) return 'no host until you grant one';
      return `only ${network.hosts.map((it) => (it.port === null ? it.host : `${it.host}:${it.port}`)).join(', ')}`;
  }
}

function describeFiles(pkg: Package): string {
  const { folders = [] } = pkg.permissions;
  const named = folders.map((it) => `, ${it.writable ? 'changes' : 'reads'} ${it.path}`).join('');
  const own = `${named}${pkg.permissions.stateDirectory ? ', and its own folder' : ''}`;
  const byFormat = pkg.permissions.origin === 'default' ? ' (default of its format)' : '';
  return `${fileAccessTexts[pkg.permissions.filesystem]}${own}${byFormat}`;
}

const fileAccessTexts: Readonly<Record<FilesystemAccess, string>> = {
  none: 'none of your files',
  'read-only': 'reads the workspace',
  'read-write': 'reads and writes the workspace',
};

function describeSlot(slot: Slot): string {
  const what = slot.secret ? 'secret' : 'setting';
  const where =
    slot.audience.kind === 'hosts'
      ? `, sent only to ${slot.audience.hosts.join(', ')}`
      : slot.audience.kind === 'unbound' && slot.secret
        ? '; you choose the hosts that may receive it'
        : '';
  const scopes = slot.source.kind === 'broker' ? `: ${slot.source.scopes.join(', ')}` : '';
  const needed = scopesText(slot.providerScopes ?? []);
  const rights = needed === '' ? '' : `; ${needed}`;
  const from = slot.obtainUrl === undefined ? '' : `; get it at ${slot.obtainUrl}`;
  const text = slot.prompt === undefined || slot.prompt === slot.label ? slot.label : slot.prompt;
  return `${slot.name} (${what}${slot.required ? '' : ', optional'}): ${text.replace(/\.$/, '')}${scopes}${where}${rights}${from}`;
}

function describeInstall({ install }: Package): string[] {
  switch (install.kind) {
    case 'bundled':
      return [];
    case 'pip':
    case 'npm':
      return [
        `${install.package}${install.version === undefined ? '' : ` ${install.version}`} with ${install.kind}`,
      ];
    case 'git':
      return [`${install.url} at ${install.ref}`];
    case 'container':
      return [`the image ${install.image}`];
    case 'url':
      return [`${install.url} (sha256 ${install.sha256.slice(0, 12)}…)`];
    case 'object':
      return [`files stored as ${install.key}`];
  }
}

function describeGuardrails({ guardrails }: Package): string[] {
  const { input, output, tools } = guardrails;
  return [
    ...(input.maxLength === undefined ? [] : [`arguments of at most ${input.maxLength} characters`]),
    ...(input.denyPatterns.length === 0
      ? []
      : [`denies arguments that match ${input.denyPatterns.join(' or ')}`]),
    ...(input.redact.length === 0 ? [] : [`hides ${input.redact.join(', ')}`]),
    ...(output.schema === undefined ? [] : ['answers must match a schema']),
    ...tools.map((it) => {
      const rules = [
        ...(it.approval === 'human' ? ['a person approves each call'] : []),
        ...(it.maxAmount === undefined ? [] : [`amounts up to ${it.maxAmount}`]),
        ...(it.rateLimit === undefined ? [] : [`${it.rateLimit.count} calls per ${it.rateLimit.per}`]),
        ...(it.idempotent === true ? ['safe to repeat'] : []),
      ];
      return `${it.tool}: ${rules.join(', ') || 'no further rules'}`;
    }),
  ];
}

function describeKillSwitch({ killSwitch }: Package): string[] {
  switch (killSwitch?.kind) {
    case undefined:
      return [];
    case 'url':
      return [`DELETE ${killSwitch.url}`];
    case 'program':
      return ['its own command'];
    case 'manual':
      return [`hand, see ${killSwitch.instructionsUrl}`];
  }
}

const effects: Record<Tool['effect'], string> = {
  none: 'no effects',
  read: 'read-only',
  write: 'makes changes',
  destructive: 'destructive',
};

function describeTool(tool: Tool, style: Style, columns: number): string[] {
  const notes = [
    effects[tool.effect],
    ...(tool.effectDeclared ? [] : ['assumed; not declared']),
    ...(tool.approval === 'human' ? ['a person approves each call'] : []),
    ...(tool.action === null ? ['not connected to a program'] : []),
  ];
  return [
    `  ${style.bold(visibleLine(tool.name))}(${inputNames(tool)})  ${style.dim(notes.join(', '))}`,
    ...indented(tool.description, columns),
    ...(tool.access === undefined ? [] : indented(describeAccess(tool.access), columns)),
    ...printInputs(tool, columns),
  ];
}

/** For a tool that may use less than its package. */
function describeAccess({ network, filesystem }: CallAccess): string {
  return `network: ${describeNetwork(network)}; files: ${fileAccessTexts[filesystem]}`;
}

function indented(text: string, columns: number): string[] {
  return wrap(visibleLine(text), Math.max(20, columns - 4)).map((it) => `    ${it}`);
}
