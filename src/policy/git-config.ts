/** Settings that git itself writes for a new repository or a clone, and that name no program. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  core: [
    'repositoryformatversion',
    'filemode',
    'bare',
    'logallrefupdates',
    'ignorecase',
    'precomposeunicode',
    'symlinks',
  ],
  remote: ['url', 'fetch'],
  branch: ['remote', 'merge'],
  submodule: ['url', 'active'],
  init: ['defaultbranch'],
  user: ['name', 'email'],
};

/** An address on a server, which cannot be a command or a folder with hooks. */
const serverAddress = /^(?:https:\/\/|ssh:\/\/[^-]|[A-Za-z0-9][\w.-]*@[A-Za-z0-9][\w.-]*:)/;

/**
 * Whether a git configuration has only settings of a new repository or clone. Everything that is not known to be
 * harmless, or is written in an unusual way, counts as dangerous.
 */
export function isHarmlessGitConfig(text: string): boolean {
  let known: readonly string[] | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '') continue;
    const section = /^\[([a-z]+)(?: "[\w./@-]+")?\]$/.exec(trimmed);
    if (section !== null) {
      const name = section[1] as string;
      known = Object.hasOwn(harmless, name) ? harmless[name] : undefined;
      if (known === undefined) return false;
      continue;
    }
    const setting = /^([A-Za-z]+) = ([^"\\;#]*)$/.exec(trimmed);
    const key = setting?.[1]?.toLowerCase() ?? '';
    if (known?.includes(key) !== true) return false;
    if (key === 'url' && !serverAddress.test(setting?.[2] ?? '')) return false;
  }
  return true;
}
