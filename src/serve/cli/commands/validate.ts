import { relative } from 'node:path';
import type { DiscoverOptions } from '../../../bundle/discover.js';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import { defaultParseOptions } from '../../../formats/inspect.js';
import type { Diagnostic } from '../../../model/diagnostic.js';
import { HostError } from '../../../model/host-error.js';
import { countOf } from '../../print/diagnostics.js';
import { toGithub } from '../../print/github.js';
import { toSarif } from '../../print/sarif.js';
import { type CheckedFiles, checkFiles, printChecked } from '../checked-files.js';
import type { Arguments, Command } from '../command/command.js';
import { loadConfig, settingOf } from '../config/config.js';
import { searchRoots } from '../config/default-paths.js';
import type { Terminal } from '../terminal/terminal.js';

const outputFormats = ['text', 'json', 'sarif', 'github'] as const;

export function validateCommand(formats: readonly FormatDescriptor[]): Command {
  const names = formats.map((it) => it.name);
  return {
    name: 'validate',
    summary: 'Check manifests of all formats. Shows where each problem is and how to fix it.',
    usage: 'validate [PATH…] [options]',
    examples: [
      { line: 'toolwharf validate', text: 'check everything below this folder' },
      { line: 'toolwharf validate tool.py plugin.toml', text: 'check these files' },
      { line: 'toolwharf validate tools --format github', text: 'annotate a pull request on GitHub' },
    ],
    options: [
      {
        name: 'format',
        value: 'FORM',
        choices: outputFormats,
        text: 'output format: text, json, sarif or github (default: text)',
      },
      { name: 'as', value: 'FORMAT', choices: names, text: `format of the named files: ${names.join(', ')}` },
      { name: 'strict', text: 'treat warnings as errors' },
      { name: 'agent-version', value: 'VERSION', text: 'host version that extensions are checked against' },
    ],
    async run(args, terminal) {
      const output = args.has('json')
        ? 'json'
        : oneOf(args.value('format') ?? 'text', outputFormats, 'format');
      const as = args.value('as');
      const asName = as === undefined ? undefined : oneOf(as, names, 'as');
      const checked = await checkFiles(
        {
          ...(await searchOf(args, terminal)),
          cwd: terminal.cwd,
          formats,
          as: formats.find((it) => it.name === asName),
        },
        args.has('strict'),
        {
          ...defaultParseOptions,
          agentVersion: args.value('agent-version') ?? defaultParseOptions.agentVersion,
        },
      );
      const errors = countOf(checked.diagnostics, 'error');
      switch (output) {
        case 'json':
          terminal.out(`${JSON.stringify(toDocument(checked))}\n`);
          break;
        case 'sarif':
          terminal.out(`${JSON.stringify(toSarif(checked.diagnostics, terminal.version), null, 2)}\n`);
          break;
        case 'github':
          terminal.out(toGithub(checked.diagnostics));
          break;
        default:
          printChecked(checked, args, terminal);
      }
      return errors > 0 ? 3 : 0;
    },
  };
}

/** Where to search. */
interface SearchPlan extends Pick<DiscoverOptions, 'ignore' | 'depth'> {
  readonly paths: readonly string[];
}

/** A named path is searched completely. Without one, only what would be served from this folder. */
async function searchOf(args: Arguments, terminal: Terminal): Promise<SearchPlan> {
  if (args.positionals.length > 0) return { paths: args.positionals };
  const { entries } = await loadConfig(args, terminal);
  return {
    paths: searchRoots(entries, terminal.cwd).map((it) => relative(terminal.cwd, it) || '.'),
    ignore: settingOf(entries, 'discovery.ignore') as readonly string[],
    depth: settingOf(entries, 'discovery.depth') as number,
  };
}

function toDocument({ files, diagnostics }: CheckedFiles) {
  return {
    schema: 'toolwharf/validate@1',
    files: files.map(({ file, format, package: pkg, diagnostics: own }) => ({
      file,
      format,
      ok: countOf(own, 'error') === 0,
      ...(pkg === undefined
        ? {}
        : { package: { id: pkg.id, version: pkg.version, tools: pkg.tools.map((it) => it.name) } }),
      diagnostics: own.map(flat),
    })),
    summary: {
      files: files.length,
      errors: countOf(diagnostics, 'error'),
      warnings: countOf(diagnostics, 'warning'),
    },
  };
}

function flat({ range, related, ...rest }: Diagnostic) {
  const places = related?.map(({ range: place, ...it }) => ({ ...it, ...place }));
  return { ...rest, ...range, ...(places === undefined ? {} : { related: places }) };
}

function oneOf<T extends string>(value: string, allowed: readonly T[], option: string): T {
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new HostError('usage', `unknown value for --${option}: ${JSON.stringify(value)}`, {
    hint: `use ${allowed.join(', ')}`,
  });
}
