import { HostError } from '../../../model/host-error.js';
import type { Arguments, Option } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';

/** For commands of authors: values that are not typed. */
export const fromEnvironmentOption: Option = {
  name: 'from-env',
  value: 'NAME',
  multiple: true,
  text: 'take a value that packages ask for from the variable NAME; write NAME=VARIABLE if the names differ',
};

/** The named values. A variable that is not set is an error. */
export function environmentValues(
  args: Arguments,
  { environment }: Pick<Terminal, 'environment'>,
): readonly { readonly name: string; readonly value: string }[] {
  return args.values('from-env').map((it) => {
    const at = it.indexOf('=');
    const name = at === -1 ? it : it.slice(0, at);
    const variable = at === -1 ? it : it.slice(at + 1);
    const value = Object.hasOwn(environment, variable) ? environment[variable] : undefined;
    if (value === undefined || value === '')
      throw new HostError('usage', `--from-env ${it}: the variable ${variable} is not set`, {
        hint: `set it first: export ${variable}=…`,
      });
    return { name, value };
  });
}
