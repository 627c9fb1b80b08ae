import { resolve } from 'node:path';
import type { Installations, Plan, PlannedCredential } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { visibleLine } from '../print/visible.js';
import type { Arguments, Option } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

export const secretOption: Option = {
  name: 'secret',
  value: 'NAME=@FILE',
  multiple: true,
  text: 'take a value from a file, or from standard input with NAME=-',
};

const maxTries = 3;

/** Collects the values of a plan in its order: from options, else from the person at the terminal. */
export async function collectValues(
  plan: Plan,
  installations: Pick<Installations, 'checkValue'>,
  args: Arguments,
  terminal: Terminal,
  given?: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const values = { ...(given ?? (await givenValues(args, terminal))) };
  const check = (name: string, value: string) =>
    installations.checkValue({ agree: plan.digest, name, value });
  for (const it of plan.credentials) {
    const value = values[it.name];
    if (value !== undefined) {
      const problem = await check(it.name, value);
      if (problem !== null) throw new HostError('invalid_input', problem);
      continue;
    }
    if (it.isSet || it.default !== undefined || !it.required) continue;
    if (!terminal.stdinIsTerminal || args.has('no-input') || args.has('json')) continue;
    values[it.name] = await askFor(it, plan.package.id, check, terminal);
  }
  return values;
}

/** The same for several packages, by package. A name alone is for every package that has it, `PACKAGE/NAME` for one. */
export async function collectValuesOf(
  plans: readonly Plan[],
  installations: Pick<Installations, 'checkValue'>,
  args: Arguments,
  terminal: Terminal,
): Promise<Record<string, Record<string, string>>> {
  const given = Object.entries(await givenValues(args, terminal));
  const used = new Set<string>();
  const values: Record<string, Record<string, string>> = {};
  for (const plan of plans) {
    const { id } = plan.package;
    const own: Record<string, string> = {};
    for (const { name } of plan.credentials)
      for (const [key, value] of given)
        if (key === name || key === `${id}/${name}`) {
          own[name] = value;
          used.add(key);
        }
    values[id] = await collectValues(plan, installations, args, terminal, own);
  }
  const unknown = given.find(([key]) => !used.has(key))?.[0];
  if (unknown !== undefined)
    throw new HostError('usage', `no package that is installed now has a value ${unknown}`);
  return values;
}

async function givenValues(args: Arguments, terminal: Terminal): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  let usesStdin = false;
  for (const text of args.values('secret')) {
    const [, name, source] = /^([^=]+)=(@.+|-)$/s.exec(text) ?? [];
    if (name === undefined || source === undefined)
      throw new HostError('usage', 'a value is never an argument: others can see the command line', {
        hint: 'write --secret NAME=@FILE, or --secret NAME=- to read standard input',
      });
    // Other programs write standard input as @-.
    if (source === '-' || source === '@-') {
      if (usesStdin) throw new HostError('usage', 'only one value can come from standard input');
      usesStdin = true;
      values[name] = (await terminal.readStdin()).replace(/\r?\n$/, '');
      continue;
    }
    const content = terminal.readFile(resolve(terminal.cwd, source.slice(1)));
    if (content === undefined)
      throw new HostError('usage', `the value of ${name} cannot be read from ${source.slice(1)}`);
    values[name] = content.replace(/\r?\n$/, '');
  }
  return values;
}

async function askFor(
  { name, prompt, obtainUrl, secret, choices }: PlannedCredential,
  packageId: string,
  check: (name: string, value: string) => Promise<string | null>,
  terminal: Terminal,
): Promise<string> {
  terminal.err(`${visibleLine(prompt ?? `${packageId} needs ${name}.`)}\n`);
  if (obtainUrl !== undefined) terminal.err(`  get it at ${visibleLine(obtainUrl)}\n`);
  if (choices !== undefined) terminal.err(`  one of ${visibleLine(choices.join(', '))}\n`);
  for (let attempt = 1; attempt <= maxTries; attempt++) {
    const question = secret ? `${name} (not shown): ` : `${name}: `;
    const value = secret ? await terminal.readSecret(question) : await terminal.ask(question);
    const problem = value === '' ? `${name} is empty` : await check(name, value);
    if (problem === null) return value;
    terminal.err(`${visibleLine(problem)}${attempt < maxTries ? '; try again' : ''}\n`);
  }
  throw new HostError('needs_setup', `no valid value for ${name} was given in ${maxTries} tries`);
}
