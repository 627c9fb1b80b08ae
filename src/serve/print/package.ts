// A package in words that a person can judge: what it is, what it can do, what it wants.

import type { PackageState } from '../../host/host.js';
import type { Package } from '../../model/package.js';
import type { NetworkAccess } from '../../model/permissions.js';
import { type Program, runsElsewhere } from '../../model/program.js';
import type { Slot } from '../../model/slot.js';
import type { Template } from '../../model/template.js';
import type { Tool } from '../../model/tool.js';
import { inputNames, printInputs } from './inputs.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { pad, wrap } from './width.js';

export function printPackage(
  of: Package,
  announced: PackageState['tools'],
  style: Style,
  columns: number,
): string {
  const later = announced.filter((it) => !of.tools.some((tool) => tool.name === it.name));
  const lines = [
    style.bold(visibleLine(`${of.name} ${of.version}`)) + style.dim(`  ${of.id}, ${of.format}`),
    ...wrap(visibleLine(of.description), columns),
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
  section('Runs', of.programs.map(describeProgram));
  section('Network', [describeNetwork(of.permissions.network)]);
  section('Files', [describeFiles(of)]);
  section(
    'Reasons',
    of.permissions.scopes.map(
      (it) =>
        `${it.resource} (${it.verbs.join(', ')}${it.providerScope === undefined ? '' : `; ${it.providerScope}`}): ${it.rationale}`,
    ),
  );
  section('Needs', [
    ...of.needs.binaries.map((it) => `the program ${it}`),
    ...(of.needs.hostVersion === undefined ? [] : [`a host of version ${of.needs.hostVersion} or newer`]),
  ]);
  section('Asks for', of.slots.map(describeSlot));
  section('Installs', describeInstall(of));
  section('Guardrails', describeGuardrails(of));
  section(
    'Is asked',
    of.hooks.map((it) => `${it.point.replaceAll('_', ' ')} (priority ${it.priority})`),
  );
  section(
    'Prompts',
    of.prompts.map((it) => `${it.name}: ${it.description || it.title}`),
  );
  section('Costs', describeCost(of));
  section('Revoked by', describeKillSwitch(of));
  section('Made for', of.targets.length === 0 ? [] : [of.targets.join(', ')]);
  section(
    'Also says',
    of.facts.map(
      (it) => `${it.label}: ${typeof it.value === 'string' ? it.value : JSON.stringify(it.value)}`,
    ),
  );
  lines.push(
    '',
    style.bold(of.tools.length + later.length === 1 ? 'Tool' : 'Tools'),
    ...of.tools.flatMap((it) => describeTool(it, style, columns)),
    ...later.flatMap((it) => [
      `  ${style.bold(visibleLine(it.name))}  ${style.dim('announced by its program')}`,
      ...indented(it.description, columns),
    ]),
  );
  if (of.announces) lines.push(style.dim('  more may appear when it runs'));
  return `${lines.join('\n')}\n`;
}

const states: Record<PackageState['state'], string> = {
  ready: 'It is ready.',
  'needs-setup': 'It needs setup.',
  unavailable: 'It is unavailable.',
  'needs-review': 'It is held until its change was reviewed.',
  disabled: 'It is switched off.',
  broken: 'It is broken.',
  killed: 'The kill switch is on.',
};

/** How a package stands here, with every reason on lines of its own. */
export function printState(it: PackageState, style: Style, columns: number): string {
  const paint = it.state === 'ready' ? style.good : it.state === 'broken' ? style.error : style.warning;
  const lines = [`${paint(states[it.state])} ${confinement(it)}`];
  for (const reason of it.reasons) {
    const parts = wrap(visibleLine(reason), Math.max(20, columns - 4));
    lines.push(...parts.map((part, index) => `  ${index === 0 ? '-' : ' '} ${part}`));
  }
  return `${lines.join('\n')}\n`;
}

/** No sandbox of this machine holds what runs on another one. */
function confinement({ package: of, sandbox }: PackageState): string {
  const programs = of?.programs ?? [];
  const far = programs.filter(runsElsewhere).length;
  if (far === 0) return `Its sandbox is ${sandbox}.`;
  const who = far === programs.length ? 'It' : 'A part of it';
  return `${who} runs elsewhere, where no sandbox of this host holds it.`;
}

function describeProgram(program: Program): string {
  const { target, lifetime, role } = program;
  const how = lifetime === 'persistent' ? 'kept running' : 'started for each use';
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
      return `asks ${target.url}${what}`;
    case 'nats':
      return `asks over NATS, ${target.subjectPrefix}${what}`;
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
      if (network.hosts.length === 0) return 'no host until you name some';
      return `only ${network.hosts.map((it) => (it.port === null ? it.host : `${it.host}:${it.port}`)).join(', ')}`;
  }
}

function describeFiles(of: Package): string {
  const own = of.permissions.stateDirectory ? ', and a folder of its own' : '';
  const usual = of.permissions.origin === 'default' ? ' (the usual for its format, which cannot say)' : '';
  const access = {
    none: 'none of yours',
    'read-only': 'reads the workspace',
    'read-write': 'reads and writes the workspace',
  }[of.permissions.filesystem];
  return `${access}${own}${usual}`;
}

function describeSlot(slot: Slot): string {
  const what = slot.secret ? 'secret' : 'setting';
  const where =
    slot.audience.kind === 'hosts'
      ? `, sent only to ${slot.audience.hosts.join(', ')}`
      : slot.audience.kind === 'unbound' && slot.secret
        ? ', you say to which hosts it may go'
        : '';
  const scopes = slot.source.kind === 'broker' ? `: ${slot.source.scopes.join(', ')}` : '';
  const from = slot.obtainUrl === undefined ? '' : `; get it at ${slot.obtainUrl}`;
  const words = slot.prompt === undefined || slot.prompt === slot.label ? slot.label : slot.prompt;
  return `${slot.name} (${what}${slot.required ? '' : ', optional'}): ${words.replace(/\.$/, '')}${scopes}${where}${from}`;
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
      return [`files kept as ${install.key}`];
  }
}

function describeGuardrails({ guardrails }: Package): string[] {
  const { input, output, tools } = guardrails;
  return [
    ...(input.maxLength === undefined ? [] : [`arguments of at most ${input.maxLength} characters`]),
    ...(input.denyPatterns.length === 0 ? [] : [`refuses what matches ${input.denyPatterns.join(' or ')}`]),
    ...(input.redact.length === 0 ? [] : [`hides ${input.redact.join(', ')}`]),
    ...(output.schema === undefined ? [] : ['answers must fit a schema']),
    ...tools.map((it) => {
      const rules = [
        ...(it.approval === 'human' ? ['a person approves each call'] : []),
        ...(it.maxAmount === undefined ? [] : [`amounts up to ${it.maxAmount}`]),
        ...(it.rateLimit === undefined ? [] : [`${it.rateLimit.count} calls per ${it.rateLimit.per}`]),
        ...(it.idempotent === true ? ['may be repeated'] : []),
      ];
      return `${it.tool}: ${rules.join(', ') || 'nothing beyond the usual'}`;
    }),
  ];
}

function describeCost({ cost }: Package): string[] {
  if (cost === undefined) return [];
  const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;
  return [
    [
      ...(cost.installFeeCents === undefined ? [] : [`${dollars(cost.installFeeCents)} once`]),
      ...(cost.monthlyFeeCents === undefined ? [] : [`${dollars(cost.monthlyFeeCents)} a month`]),
      ...(cost.usageModel === undefined || cost.usageModel === 'none'
        ? []
        : [`use is charged ${cost.usageModel}`]),
    ].join(', ') || 'nothing',
  ];
}

function describeKillSwitch({ killSwitch }: Package): string[] {
  switch (killSwitch?.kind) {
    case undefined:
      return [];
    case 'url':
      return [`DELETE ${killSwitch.url}`];
    case 'program':
      return ['a command of its own'];
    case 'manual':
      return [`hand, as ${killSwitch.instructionsUrl} says`];
  }
}

const effects: Record<Tool['effect'], string> = {
  none: 'changes nothing',
  read: 'reads',
  write: 'changes things',
  destructive: 'cannot be undone',
};

function describeTool(tool: Tool, style: Style, columns: number): string[] {
  const notes = [
    effects[tool.effect],
    ...(tool.effectDeclared ? [] : ['its manifest does not say']),
    ...(tool.approval === 'human' ? ['a person approves each call'] : []),
    ...(tool.action === null ? ['not bound to anything'] : []),
  ];
  return [
    `  ${style.bold(visibleLine(tool.name))}(${inputNames(tool)})  ${style.dim(notes.join(', '))}`,
    ...indented(tool.description, columns),
    ...printInputs(tool, columns),
  ];
}

function indented(text: string, columns: number): string[] {
  return wrap(visibleLine(text), Math.max(20, columns - 4)).map((it) => `    ${it}`);
}
