import { homedir } from 'node:os';
import { HostError } from '../../../model/host-error.js';
import { clientNames, configScopes } from '../../clients/client.js';
import type { ConnectMachine } from '../../clients/connection.js';
import { importDocument, importText } from '../../imports/import-report.js';
import { runImport } from '../../imports/import-run.js';
import { importTarget } from '../../imports/import-target.js';
import { undoImport } from '../../imports/import-undo.js';
import type { Command } from '../command/command.js';
import { dryRunOption } from '../dry-run.js';
import { lifecycleOptions } from '../lifecycle-session.js';
import { pinOption } from '../terminal/operator.js';

export const importServers = importCommand({
  platform: process.platform,
  node: process.execPath,
  home: homedir(),
});

export function importCommand(machine: ConnectMachine): Command {
  return {
    name: 'import',
    summary: 'Move the MCP servers of a client to Toolwharf: one plan, one question, secrets sealed.',
    usage: `import ${clientNames.join(' | ')} | FILE [options]`,
    examples: [
      {
        line: 'toolwharf import claude-desktop',
        text: 'try each server once, show the plan, ask, then move them',
      },
      {
        line: 'toolwharf import cursor --dry-run',
        text: 'only see what would move, and what would stay and why',
      },
      {
        line: 'toolwharf import ./mcp.json --yes --allow files=read:/srv/notes --skip old',
        text: 'in a script: name what each server may use',
      },
      { line: 'toolwharf import claude-desktop --undo', text: 'restore the file, byte for byte' },
    ],
    options: [
      {
        name: 'scope',
        value: 'SCOPE',
        choices: configScopes,
        text: 'user, project, or local: yours in this project (default: where servers are)',
      },
      { name: 'only', value: 'NAME', multiple: true, text: 'import only this server' },
      { name: 'skip', value: 'NAME', multiple: true, text: 'leave this server in the file' },
      {
        name: 'as',
        value: 'SERVER=NAME',
        multiple: true,
        text: 'name of the package (default: the name of the server)',
      },
      {
        name: 'setting',
        value: 'NAME',
        multiple: true,
        text: 'this value is not a secret, whatever it looks like',
      },
      {
        name: 'allow-scripts',
        value: 'PACKAGE',
        multiple: true,
        text: 'run the install scripts of this npm package, in the sandbox',
      },
      { name: 'no-trial', text: 'do not start the servers once before the plan' },
      { name: 'skip-smoke', text: 'do not run smoke tests; this is recorded and shown' },
      { name: 'agree', value: 'DIGEST', text: 'agree to the plan with this digest, and to no other' },
      { name: 'name', value: 'NAME', text: 'name of our entry in the file (default: toolwharf)' },
      { name: 'root', value: 'DIR', text: 'workspace folder that tools may use' },
      {
        name: 'may-approve',
        text: 'a person may approve held calls in this client, without the PIN (default: nobody may)',
      },
      { name: 'undo', text: 'restore the file as it was before the last import' },
      { name: 'merge', text: 'with --undo: keep what was changed in the file since' },
      pinOption,
      dryRunOption,
      ...lifecycleOptions.map((it) =>
        it.name === 'allow'
          ? {
              ...it,
              value: 'SERVER=GRANT',
              text: 'what one server may use: net:HOST, net:public, read:PATH or write:PATH',
            }
          : it,
      ),
    ],
    async run(args, terminal) {
      if (args.has('merge') && !args.has('undo'))
        throw new HostError('usage', '--merge is for --undo', { hint: 'leave it out' });
      const target = importTarget(args, terminal, machine);
      const { report, exit } = args.has('undo')
        ? await undoImport(target, args, terminal)
        : await runImport(target, machine, args, terminal);
      if (args.has('json')) {
        terminal.out(importDocument(report));
        return exit;
      }
      if (report.status === 'planned') return exit;
      const { result, notes } = importText(report);
      terminal.out(`${result}\n`);
      if (!args.has('quiet')) terminal.err(notes.map((it) => `${it}\n`).join(''));
      return exit;
    },
  };
}
