import { relative, resolve } from 'node:path';
import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import { commandOf } from '../../clients/launch.js';
import { type Agent, fileName, findAgent } from '../../export/agent.js';
import { planFolder, type WrittenFile, writeFolder } from '../../export/folder.js';
import { type Exported, type TargetName, targetNames } from '../../export/target.js';
import { targets } from '../../export/targets.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../arguments.js';
import type { Command } from '../command.js';
import { sessionSettings } from '../config.js';
import { isPackagePath } from '../package-word.js';
import type { Terminal } from '../terminal.js';

export const exportAgent: Command = {
  name: 'export',
  summary: "Write an agent's recipe and configuration for a client: files to copy, nothing is installed.",
  usage: 'export PATH|AGENT --target TARGET [--out DIR] [options]',
  examples: [
    { line: 'toolwharf export ./minutes-keeper --target chatgpt', text: 'files to paste' },
    { line: 'toolwharf export review-skills --dir agents --target cursor', text: 'an agent by its id' },
    {
      line: 'toolwharf export ./log-digest --target claude-code --out .',
      text: 'straight into this project',
    },
  ],
  options: [
    { name: 'target', value: 'TARGET', text: targetNames.join(', ') },
    { name: 'dir', value: 'DIR', multiple: true, text: 'where agents are (this folder unless told)' },
    { name: 'out', value: 'DIR', text: 'folder to write into (AGENT-TARGET unless told)' },
    { name: 'force', text: 'replace files that are there' },
    { name: 'dry-run', text: 'show what would be written, and write nothing' },
    { name: 'config', value: 'FILE', text: 'user configuration to read instead of the usual one' },
  ],
  async run(args, terminal) {
    const [wanted, ...more] = args.positionals;
    if (wanted === undefined || more.length > 0)
      throw new HostError('usage', 'name one agent', { hint: 'see "toolwharf export --help"' });
    const target = targetNamed(args.value('target'));
    const { cwd } = terminal;
    const isPath = isPackagePath(wanted, terminal);
    const folders = args.values('dir');
    const agent = await findAgent({
      name: wanted,
      isPath,
      folders: folders.length > 0 ? folders : (await sessionSettings(args, terminal)).defaultPaths(),
      cwd,
    });
    const start = commandOf({
      node: process.execPath,
      main: terminal.main,
      cwd,
      home: '',
      paths: [agent.path],
      root: undefined,
      more: [],
    });
    const exported = targets[target](agent, start);
    const folder = resolve(cwd, args.value('out') ?? `${fileName(agent.package.id)}-${target}`);
    const planned = planFolder(folder, exported.files, args.has('force'));
    if (!args.has('dry-run')) writeFolder(folder, exported.files, planned);
    tell({ agent, target, folder, exported, planned }, args, terminal);
    return 0;
  },
};

function targetNamed(name: string | undefined): TargetName {
  const known = targetNames.find((it) => it === name);
  if (known !== undefined) return known;
  const meant = name === undefined ? undefined : suggest(name, targetNames);
  throw new HostError(
    'usage',
    name === undefined ? 'name a target: --target TARGET' : `there is no target ${JSON.stringify(name)}`,
    { hint: `${meant === undefined ? '' : `did you mean ${meant}? `}known: ${targetNames.join(', ')}` },
  );
}

interface Done {
  readonly agent: Agent;
  readonly target: TargetName;
  readonly folder: string;
  readonly exported: Exported;
  readonly planned: readonly WrittenFile[];
}

function tell({ agent, target, folder, exported, planned }: Done, args: Arguments, terminal: Terminal): void {
  const { id, version, slots, targets: meant } = agent.package;
  const other = meant.length > 0 && !meant.includes(target);
  const warnings = [
    ...agent.warnings,
    ...exported.warnings,
    ...(other ? [`its author made it for ${meant.join(', ')}`] : []),
  ];
  const secrets = slots
    .filter((it) => it.required && it.default === undefined)
    .map((it) => `give it ${it.label || it.name}: toolwharf secret set ${id} ${it.name}`);
  const steps = [...exported.steps, ...secrets];
  const written = !args.has('dry-run');
  if (args.has('json')) {
    const document = {
      schema: 'toolwharf/export@1',
      package: { id, version },
      target,
      folder,
      written,
      files: planned,
      steps,
      warnings,
    };
    terminal.out(`${JSON.stringify(document)}\n`);
    return;
  }
  const place = relative(terminal.cwd, folder) || '.';
  terminal.out(`${written ? 'wrote' : 'would write'} into ${visibleLine(place)}\n`);
  for (const { path, status } of planned)
    terminal.out(
      `  ${path}${status === 'new' ? '' : status === 'same' ? ' (there already)' : ' (replaced)'}\n`,
    );
  for (const it of warnings) terminal.err(`warning: ${visibleLine(it)}\n`);
  if (!args.has('quiet')) for (const it of steps) terminal.err(`next: ${visibleLine(it)}\n`);
}
