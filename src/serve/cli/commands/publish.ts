import { resolve } from 'node:path';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import type { ContributionFinding } from '../../../model/contribution.js';
import { HostError } from '../../../model/host-error.js';
import { parsePackageName } from '../../../registry/names/package-name.js';
import { publishLocally } from '../../../registry/publisher/local-publication.js';
import { archiveOfPackage } from '../../../registry/publisher/package-archive.js';
import type {
  RemotePublicationResult,
  RemoteRelease,
} from '../../../registry/publisher/remote-publication.js';
import { errorTable } from '../../errors.js';
import { printVerdict } from '../../print/contribution.js';
import { visibleLine } from '../../print/visible.js';
import {
  type CheckedContribution,
  checkContributions,
  contributionExit,
  contributionOptions,
} from '../checked-contributions.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { loadConfig, settingsFrom } from '../config/config.js';
import { contributionModel } from '../config/contribution-model.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { dataOption, keysOption, publisherSigners, RegistryPlace } from '../registry/registry-place.js';
import { saveOption, savePublication } from '../registry/registry-signing.js';
import { chosenRegistry, registryTokenOf, tokenFileOption } from '../registry/server-choice.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';

export function publishCommand(formats: readonly FormatDescriptor[]): Command {
  return {
    name: 'publish',
    summary: 'Publish a package in a registry, after all checks. A release never changes.',
    usage: 'publish PATH --to REGISTRY [--namespace NAME] [options]',
    examples: [
      { line: 'toolwharf publish ./weather --to acme --dry-run', text: 'show what the checks find' },
      { line: 'toolwharf publish ./weather --to acme', text: 'publish in a registry of your configuration' },
      {
        line: 'toolwharf publish tool.py --to ./registry',
        text: 'publish in a registry in a folder of this machine',
      },
    ],
    options: [
      { name: 'to', value: 'REGISTRY', text: 'name or URL of a configured registry, or the folder of one' },
      { name: 'namespace', value: 'NAME', text: 'publish as NAME/PACKAGE (default: as PACKAGE)' },
      tokenFileOption,
      keysOption,
      dataOption,
      saveOption,
      ...contributionOptions(formats.map((it) => it.name)),
      dryRunOption,
    ],
    async run(args, terminal) {
      const result = await checkContributions(formats, args, terminal);
      const [checked, ...more] = result.checked;
      if (checked === undefined || more.length > 0)
        throw new HostError(
          'usage',
          `publish one package at a time; there are ${result.checked.length} here`,
        );
      if (isDryRun(args) || checked.verdict.decision === 'reject') {
        print(checked, args, terminal);
        return contributionExit(result);
      }
      const release = await releaseOf(checked, args);
      const done = await publish(release, { args, terminal, formats });
      report(release, done, args, terminal);
      return done.status === 'waits-for-review' ? errorTable.approval_required.exit : 0;
    },
  };
}

async function releaseOf(
  { manifest, verdict }: CheckedContribution,
  args: Arguments,
): Promise<RemoteRelease> {
  const pkg = verdict.package;
  if (pkg === null) throw new HostError('invalid_manifest', 'the manifest has errors');
  const namespace = args.value('namespace');
  const name = parsePackageName(namespace === undefined ? pkg.id : `${namespace}/${pkg.id}`);
  const archive = await archiveOfPackage(manifest.path, manifest.bundle);
  return { name, version: pkg.version, archive, statements: [] };
}

interface PublishContext {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly formats: readonly FormatDescriptor[];
}

async function publish(
  release: RemoteRelease,
  { args, terminal, formats }: PublishContext,
): Promise<RemotePublicationResult> {
  const to = args.value('to');
  if (to === undefined)
    throw new HostError('usage', 'say where to publish: --to REGISTRY', {
      hint: 'a name of [registries.NAME] in your configuration, or the folder of a registry',
    });
  const config = await loadConfig(args, terminal);
  const { policy } = settingsFrom(config, args, terminal);
  const chosen = chosenRegistry(to, policy.registries ?? [], terminal);
  const model = contributionModel(config.entries, terminal.environment);
  const state = stateDirectory(args, terminal.environment, terminal.cwd);
  const collects = args.value('save') !== undefined;
  if (chosen.kind === 'folder') {
    const place = (await RegistryPlace.open(args, terminal, chosen.folder)).assertData();
    return publishLocally(release, {
      ...{ repository: place.repository, data: place.data, formats, publisher: terminal.principal },
      online: await place.online(),
      signers: await place.signers(),
      model: await terminal.connectTextModel({ model, state, policy }),
      ...{ now: Date.now, collects },
    });
  }
  return terminal.publishAtServer({
    ...{ release, setting: chosen.setting, state, policy, collects },
    signers: await publisherSigners(args, terminal),
    token: registryTokenOf(args, terminal),
  });
}

function print({ manifest, verdict }: CheckedContribution, args: Arguments, terminal: Terminal): void {
  if (args.has('json')) {
    terminal.out(`${JSON.stringify({ schema: 'toolwharf/publish@1', status: verdict.decision, verdict })}\n`);
    return;
  }
  const style = terminalStyle(args, terminal);
  const source = (file: string) => terminal.readFile(resolve(terminal.cwd, file));
  const printer = { style, columns: terminal.columns, source, isQuiet: args.has('quiet') };
  const display = (path: string) => manifest.bundle.display(path);
  terminal.out(printVerdict(verdict, { display, manifest: manifest.bundle.manifest }, printer));
}

function report(
  release: RemoteRelease,
  done: RemotePublicationResult,
  args: Arguments,
  terminal: Terminal,
): void {
  const name = release.name.text;
  const { version } = release;
  if (done.status === 'signed') {
    const file = args.value('save') ?? '';
    const lines = savePublication(done.publication, file, terminal);
    const document = { schema: 'toolwharf/publish@1', status: 'saved', name, version, file };
    terminal.out(
      args.has('json') ? `${JSON.stringify(document)}\n` : `${lines.map(visibleLine).join('\n')}\n`,
    );
    return;
  }
  if (args.has('json')) {
    const review = done.status === 'waits-for-review' ? { review: done.review, findings: done.findings } : {};
    terminal.out(
      `${JSON.stringify({ schema: 'toolwharf/publish@1', status: done.status, name, version, ...review })}\n`,
    );
    return;
  }
  const what = `${name} ${version}`;
  if (done.status === 'published') terminal.out(`published ${what}: toolwharf install registry:${name}\n`);
  else if (done.status !== 'waits-for-review')
    terminal.out(`${what} is there already, with the same content\n`);
  else {
    terminal.out(`${what} waits for a person at the registry (review ${done.review})\n`);
    for (const it of done.findings as unknown as ContributionFinding[])
      if (it.severity === 'review') terminal.out(`  ${visibleLine(`${it.file}: ${it.message}`)}\n`);
    terminal.out('publish it again once it is approved\n');
  }
}
