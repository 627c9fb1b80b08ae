import { relative, resolve } from 'node:path';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import { mcpCommand } from '../../clients/launch.js';
import { type Agent, findAgent, safeFileName } from '../../export/agent.js';
import { planFolder, type WrittenFile, writeFolder } from '../../export/folder.js';
import { type ExportResult, type TargetName, targetNames } from '../../export/target.js';
import { targets } from '../../export/targets.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { sessionSettings } from '../config/config.js';
import { isPackagePath } from '../package-path.js';
import type { Terminal } from '../terminal/terminal.js';

export function exportCommand(formats: readonly FormatDescriptor[]): Command {
  return {
    name: 'export',
    summary: "Write an agent's instructions and configuration as files for a client. Installs nothing.",
    usage: 'export PATH|AGENT --target TARGET [--out DIR] [options]',
    examples: [
      {
        line: 'toolwharf export ./minutes-keeper --target chatgpt',
        text: 'write files to paste into ChatGPT',
      },
      {
        line: 'toolwharf export review-skills --dir agents --target cursor',
        text: 'export an agent by its id',
      },
      {
        line: 'toolwharf export ./log-digest --target claude-code --out .',
        text: 'write into this project',
      },
    ],
    options: [
      { name: 'target', value: 'TARGET', text: `client to write for: ${targetNames.join(', ')}` },
      {
        name: 'dir',
        value: 'DIR',
        multiple: true,
        text: 'folder to search for agents (default: this folder)',
      },
      { name: 'out', value: 'DIR', text: 'folder to write to (default: AGENT-TARGET)' },
      { name: 'force', text: 'overwrite existing files' },
      { name: 'dry-run', text: 'show what would be written, without writing it' },
      {
        name: 'config',
        value: 'FILE',
        text: 'user configuration file to use instead of the default one',
      },
    ],
    async run(args, terminal) {
      const [name, ...more] = args.positionals;
      if (name === undefined || more.length > 0)
        throw new HostError('usage', 'name one agent', { hint: 'see "toolwharf export --help"' });
      const target = targetNamed(args.value('target'));
      const { cwd } = terminal;
      const isPath = isPackagePath(name, terminal);
      const folders = args.values('dir');
      const agent = await findAgent({
        name,
        isPath,
        folders: folders.length > 0 ? folders : (await sessionSettings(args, terminal)).defaultPaths(),
        cwd,
        formats,
      });
      const start = mcpCommand({
        node: process.execPath,
        main: terminal.main,
        cwd,
        home: '',
        paths: [agent.path],
        root: undefined,
        more: [],
      });
      const exported = targets[target](agent, start);
      const folder = resolve(cwd, args.value('out') ?? `${safeFileName(agent.package.id)}-${target}`);
      const planned = planFolder(folder, exported.files, args.has('force'));
      if (!args.has('dry-run')) writeFolder(folder, exported.files, planned);
      report({ agent, target, folder, exported, planned }, args, terminal);
      return 0;
    },
  };
}

function targetNamed(name: string | undefined): TargetName {
  const known = targetNames.find((it) => it === name);
  if (known !== undefined) return known;
  const meant = name === undefined ? undefined : suggest(name, targetNames);
  throw new HostError(
    'usage',
    name === undefined ? 'name a target: --target TARGET' : `unknown target ${JSON.stringify(name)}`,
    { hint: `${meant === undefined ? '' : `did you mean ${meant}? `}use one of ${targetNames.join(', ')}` },
  );
}

interface ExportSummary {
  readonly agent: Agent;
  readonly target: TargetName;
  readonly folder: string;
  readonly exported: ExportResult;
  readonly planned: readonly WrittenFile[];
}

function report(
  { agent, target, folder, exported, planned }: ExportSummary,
  args: Arguments,
  terminal: Terminal,
): void {
  const { id, version, slots, targets: meant } = agent.package;
  const other = meant.length > 0 && !meant.includes(target);
  const warnings = [
    ...agent.warnings,
    ...exported.warnings,
    ...(other ? [`its author lists other clients: ${meant.join(', ')}`] : []),
  ];
  const secrets = slots
    .filter((it) => it.required && it.default === undefined)
    .map((it) => `set ${it.label || it.name}: toolwharf secret set ${id} ${it.name}`);
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
  terminal.out(`${written ? 'wrote' : 'would write'} to ${visibleLine(place)}\n`);
  for (const { path, status } of planned)
    terminal.out(`  ${path}${status === 'new' ? '' : status === 'same' ? ' (unchanged)' : ' (replaced)'}\n`);
  for (const it of warnings) terminal.err(`warning: ${visibleLine(it)}\n`);
  if (!args.has('quiet')) for (const it of steps) terminal.err(`next: ${visibleLine(it)}\n`);
}
