import { resolve } from 'node:path';
import { type DiscoveredManifest, discover } from '../../bundle/discover.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import type { ContributionVerdict } from '../../model/contribution.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { HostError } from '../../model/host-error.js';
import { errorTable } from '../errors.js';
import { stateDirectory } from './command/arguments.js';
import type { Arguments, Option } from './command/command.js';
import { loadConfig, settingOf, settingsFrom } from './config/config.js';
import { contributionModel } from './config/contribution-model.js';
import type { Terminal } from './terminal/terminal.js';

export const contributionOptions = (names: readonly string[]): readonly Option[] => [
  { name: 'as', value: 'FORMAT', choices: names, text: `format of the named file: ${names.join(', ')}` },
  { name: 'name', value: 'NAME', text: 'what the package is called where it is published' },
  { name: 'package-version', value: 'VERSION', text: 'the version that is published' },
  { name: 'names', value: 'FILE', text: 'names of the registry, one in each line, to find look-alikes' },
  { name: 'config', value: 'FILE', text: 'user configuration file to use instead of the default one' },
];

/** A package with the verdict of the checks. */
export interface CheckedContribution {
  readonly manifest: DiscoveredManifest;
  readonly verdict: ContributionVerdict;
}

export interface CheckedContributions {
  readonly checked: readonly CheckedContribution[];
  /** What was found at the path and belongs to no package. */
  readonly problems: readonly Diagnostic[];
}

/** Runs the publishing checks over all packages at a path. Runs none of them and changes nothing. */
export async function checkContributions(
  formats: readonly FormatDescriptor[],
  args: Arguments,
  terminal: Terminal,
): Promise<CheckedContributions> {
  const [path, ...more] = args.positionals;
  if (path === undefined || more.length > 0) throw new HostError('usage', 'name one folder or manifest');
  const as = args.value('as');
  const format = formats.find((it) => it.name === as);
  if (as !== undefined && format === undefined)
    throw new HostError('usage', `unknown value for --as: ${JSON.stringify(as)}`);
  const config = await loadConfig(args, terminal);
  const { policy } = settingsFrom(config, args, terminal);
  const model = contributionModel(config.entries, terminal.environment);
  const ignore = settingOf(config.entries, 'discovery.ignore') as readonly string[] | undefined;
  const { found, problems, missing } = discover([path], { cwd: terminal.cwd, formats, as: format, ignore });
  if (missing.length > 0 || found.length + problems.length === 0)
    throw new HostError(
      'not_found',
      `${missing.length > 0 ? 'no such file or folder' : 'no manifest found in'}: ${path}`,
      {
        hint: 'name a manifest, or a folder with one',
      },
    );
  const existingNames = namesOf(args, terminal);
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const expected = { name: args.value('name'), version: args.value('package-version') };
  if (found.length > 1 && (expected.name ?? expected.version) !== undefined)
    throw new HostError(
      'usage',
      `--name and --package-version are for one package; ${path} has ${found.length}`,
    );
  const checked: CheckedContribution[] = [];
  for (const manifest of found) {
    const { bundle } = manifest;
    const options = {
      bundle,
      format: await manifest.format.load(),
      expected,
      existingNames,
      model,
      state,
      policy,
    };
    checked.push({ manifest, verdict: await terminal.checkContribution(options) });
  }
  return { checked, problems };
}

/** 3 for a rejection, as for an invalid manifest; 5 if a person must look. */
export function contributionExit({ checked, problems }: CheckedContributions): number {
  const decisions = checked.map((it) => it.verdict.decision);
  const isRejected = decisions.includes('reject') || problems.some((it) => it.severity === 'error');
  if (isRejected) return errorTable.invalid_manifest.exit;
  return decisions.includes('review') ? errorTable.approval_required.exit : 0;
}

function namesOf(args: Arguments, terminal: Terminal): readonly string[] {
  const file = args.value('names');
  if (file === undefined) return [];
  const text = terminal.readFile(resolve(terminal.cwd, file));
  if (text === undefined)
    throw new HostError('not_found', `no such file: ${file}`, { hint: 'check the path after --names' });
  return text
    .split('\n')
    .map((it) => it.trim())
    .filter((it) => it !== '');
}
