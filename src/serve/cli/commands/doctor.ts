import { resolve } from 'node:path';
import type { Check } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { printChecks } from '../../print/checks.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { auditLocationsIn } from '../config/audit-locations.js';
import {
  type Config,
  containerPolicy,
  examineConfig,
  natsPolicy,
  sessionOptions,
  settingOf,
  settingsFrom,
} from '../config/config.js';
import type { ExamineOptions, Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check what works on this machine, and show the command that fixes each problem.',
  usage: 'doctor [DIR…] [options]',
  examples: [
    { line: 'toolwharf doctor', text: 'check everything, with this folder as the workspace' },
    { line: 'toolwharf doctor ~/project', text: 'check whether tools can use that folder' },
    {
      line: 'toolwharf doctor --nats-url nats://127.0.0.1:4222',
      text: 'check the connection to that NATS server',
    },
    { line: 'toolwharf doctor --json', text: 'print JSON for a script' },
  ],
  options: sessionOptions.filter((it) => it.name === 'config' || it.name === 'nats-url'),
  async run(args, terminal) {
    const roots = args.positionals.length === 0 ? ['.'] : args.positionals;
    const checks = [
      ...(await terminal.examine({
        state: stateDirectory(args, terminal.environment, terminal.cwd),
        roots: roots.map((it) => resolve(terminal.cwd, it)),
        ...(await configured(args, terminal)),
      })),
      ...(await checkConfig(args, terminal)),
    ];
    if (args.has('json')) terminal.out(`${JSON.stringify(toDocument(checks))}\n`);
    else {
      const shown = args.has('quiet') ? checks.filter((it) => it.status !== 'ok') : checks;
      terminal.out(printChecks(shown, checks, terminalStyle(args, terminal), terminal.columns));
    }
    return exitCode(checks);
  },
};

function toDocument(checks: readonly Check[]) {
  const count = (status: Check['status']) => checks.filter((it) => it.status === status).length;
  return {
    schema: 'toolwharf/doctor@1',
    checks,
    summary: { ok: count('ok'), warn: count('warn'), fail: count('fail') },
  };
}

function exitCode(checks: readonly Check[]): number {
  const failed = checks.filter((it) => it.status === 'fail');
  if (failed.some((it) => /^(?:sandbox|platform)\b/.test(it.id))) return 7;
  return failed.length === 0 ? 0 : 1;
}

/** Empty if nothing is configured. An unreadable configuration is reported by its own check. */
async function configured(
  args: Arguments,
  terminal: Terminal,
): Promise<Pick<ExamineOptions, 'audit' | 'natsUrl' | 'containers' | 'settings'>> {
  const { config } = await examineConfig(args, terminal).catch(() => ({ config: undefined }));
  if (config === undefined) return {};
  const { natsUrl } = natsPolicy(config.entries, terminal.environment);
  const { policy, allow } = settingsFrom(config, args, terminal);
  return {
    natsUrl,
    containers: containerPolicy(config.entries),
    audit: auditLocationsIn(config.entries, terminal),
    settings: { policy, allow, root: terminal.cwd },
  };
}

async function checkConfig(args: Arguments, terminal: Terminal): Promise<Check[]> {
  const id = 'config';
  try {
    const { config, diagnostics } = await examineConfig(args, terminal);
    if (config === undefined) {
      const [first] = diagnostics;
      const place = first === undefined ? '' : `: ${first.file}:${first.range.line} ${first.message}`;
      const message = `the configuration has errors; nothing runs until they are fixed${place}`;
      return [{ id, status: 'fail', message, fix: 'toolwharf config list' }];
    }
    const files = [config.user, config.project].filter((it) => it !== undefined);
    const message = files.length === 0 ? 'no configuration file' : `valid: ${files.join(' and ')}`;
    return [{ id, status: 'ok', message }, ...checkGuesses(config)];
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const fix = error.hint === undefined ? {} : { fix: error.hint };
    return [{ id, status: 'fail', message: error.message, ...fix }];
  }
}

/** Warns about a relaxed setting: it explains later why a password was passed on. */
function checkGuesses({ entries, user }: Config): Check[] {
  const named = (settingOf(entries, 'scan.no_guesses') as readonly string[] | undefined) ?? [];
  const exempt = (settingOf(entries, 'scan.exempt') as readonly string[] | undefined) ?? [];
  const warn = (id: string, message: string, setting: string): Check => ({
    id,
    status: 'warn',
    message,
    fix: `remove ${setting} from ${user}`,
  });
  return [
    ...(named.length === 0
      ? []
      : [
          warn(
            'scan.guesses',
            `scan.no_guesses: likely secrets are not removed from answers of ${named.join(', ')}`,
            'no_guesses',
          ),
        ]),
    ...(exempt.length === 0
      ? []
      : [
          warn(
            'scan.exempt',
            `scan.exempt: answers keep what looks like a secret: ${exempt.join(', ')}`,
            'exempt',
          ),
        ]),
  ];
}
