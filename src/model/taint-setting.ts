/** How strictly calls are judged by what their session has seen, from off to strict. */
export const taintModes = ['off', 'observe', 'standard', 'strict'] as const;

/** The mode if nothing else is configured. */
export const defaultTaintMode: (typeof taintModes)[number] = 'standard';

const roles = ['destination', 'identifier', 'control', 'content', 'query', 'handle'] as const;

/** What the operator says about one input: `TOOL INPUT ROLE`. */
export interface InputSetting {
  /** Pattern of tools. */
  readonly tool: string;
  readonly input: string;
  readonly role: (typeof roles)[number];
}

/** Undefined if the text is not a setting. */
export function parseInputSetting(text: string): InputSetting | undefined {
  const [tool = '', input = '', last = '', ...more] = text.split(' ');
  const role = roles.find((it) => it === last);
  return tool === '' || input === '' || more.length > 0 || role === undefined
    ? undefined
    : { tool, input, role };
}

/** Which results are hidden: `TOOL`, or `TOOL CHARACTERS` for those of at least that many characters. */
export interface HideSetting {
  /** Pattern of tools. */
  readonly tool: string;
  readonly characters: number;
}

/** Undefined if the text is not a setting. */
export function parseHideSetting(text: string): HideSetting | undefined {
  const [tool = '', size = '0', ...more] = text.split(' ');
  return tool === '' || more.length > 0 || !/^\d{1,9}$/.test(size)
    ? undefined
    : { tool, characters: Number(size) };
}

/** An input that accepts hidden results: `TOOL INPUT`. Undefined if the text is not a setting. */
export function parseHiddenInput(
  text: string,
): { readonly tool: string; readonly input: string } | undefined {
  const [tool = '', input = '', ...more] = text.split(' ');
  return tool === '' || input === '' || more.length > 0 ? undefined : { tool, input };
}

/** `NAME=MODE`. Undefined if the text is not a setting. */
export function parseModeSetting(
  text: string,
): { readonly name: string; readonly mode: (typeof taintModes)[number] } | undefined {
  const at = text.lastIndexOf('=');
  const mode = taintModes.find((it) => it === text.slice(at + 1));
  return at <= 0 || mode === undefined ? undefined : { name: text.slice(0, at), mode };
}

/** Whether a mode asks less than the default. */
export function isWeakMode(mode: (typeof taintModes)[number]): boolean {
  return taintModes.indexOf(mode) < taintModes.indexOf(defaultTaintMode);
}

export const inputSettingHint = `write "TOOL INPUT ROLE", such as "mail/send body content"; a role is ${roles.join(', ')}`;
export const modeSettingHint = `write "NAME=MODE"; a mode is ${taintModes.join(', ')}`;
export const hideSettingHint =
  'write "TOOL", or "TOOL CHARACTERS" to hide only results of that length or longer';
export const hiddenInputHint = 'write "TOOL INPUT", such as "mail/send body"';
