// Shell completion, in the real shells.
import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main, patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;

beforeAll(() => {
  folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'bin/readme.txt': '',
  });
  symlinkSync(main, join(folder.path, 'bin/toolwharf'));
  env = {
    ...(process.env as Record<string, string>),
    PATH: `${folder.path}/bin:${process.env.PATH}`,
    HOME: folder.path,
    TOOLWHARF_HOME: join(folder.path, 'state'),
  };
});
afterAll(() => folder.remove());

const run = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { cwd: folder.path, env, encoding: 'utf8' })
    .split('\n')
    .filter((it) => it !== '');

/** The candidates after each of these lines. One shell for all, because it asks for its script only once. */
function bash(...lines: readonly (readonly string[])[]): string[][] {
  const quoted = lines.map((it) => `ask toolwharf ${it.map((word) => `'${word}'`).join(' ')}`);
  const script = [
    'eval "$(toolwharf completion bash)"',
    'ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _toolwharf; IFS="|"; echo "[${COMPREPLY[*]}]"; }',
    ...quoted,
  ].join('\n');
  return run('bash', ['--norc', '-c', script]).map((it) => it.slice(1, -1).split('|'));
}

function fish(...lines: readonly string[]): string[] {
  const asked = lines.map((it) => `complete -C "toolwharf ${it}"`);
  const script = ['toolwharf completion fish | source', ...asked].join('; ');
  return run('fish', ['--no-config', '-c', script]).map((it) => it.split('\t')[0] as string);
}

describe('bash completes', () => {
  test('commands, subcommands and options', () => {
    expect(
      bash(['li'], ['approvals', 'ap'], ['list', '--att'], ['--color', ''], ['--state', 'x', 'li']),
    ).toEqual([['list'], ['approve'], ['--attention'], ['auto', 'always', 'never'], ['list']]);
  });

  test('packages and tools, and starts nothing for it', () => {
    expect(
      bash(
        ['call', 'wo'],
        ['info', 'wo'],
        ['call', './tools/word_count.py', 'word'],
        ['info', '--dir', 'bin', 'wo'],
      ),
    ).toEqual([['word_count/word_count'], ['word_count'], ['word_count'], ['']]);
    expect(existsSync(join(folder.path, 'state'))).toBe(false);
  });

  test('paths, also after an equals sign', () => {
    expect(
      bash(
        ['validate', 'to'],
        ['validate', 'bin/re'],
        ['--state', '=', 'to'],
        ['list', '--state', '=', 'bro'],
        // Only folders can be served.
        ['serve', 'bin/re'],
      ),
    ).toEqual([['tools'], ['bin/readme.txt'], ['tools'], ['broken'], ['']]);
  });
});

test.skipIf(!existsSync('/usr/bin/fish'))('fish completes the same (needs fish)', () => {
  expect(fish('li', 'call wo', 'validate to', 'list --state=bro', '--state=to')).toEqual([
    'list',
    'word_count/word_count',
    'tools/',
    '--state=broken',
    '--state=tools/',
  ]);
});

test.skipIf(!existsSync('/usr/bin/zsh'))('zsh completes the same (needs zsh)', () => {
  const script = join(folder.path, 'complete.zsh');
  writeFileSync(script, zshScript);
  const lines = ['toolwharf call wo', 'word_count/word_count ', 'toolwharf validate to', 'tools/'];
  expect(run('zsh', ['-f', script, ...lines])).toEqual(['completed', 'completed']);
});

// Types the line and a tab in an interactive shell, and waits for the buffer of the line editor.
const zshScript = `
zmodload zsh/zpty
typeset chunk out=''
wait_for() {
  repeat 600; do
    zpty -r -t z chunk 2>/dev/null && out+=$chunk
    [[ $out == *\${~1}* ]] && return 0
    zselect -t 5 2>/dev/null
  done
  print -r -- "timeout: \${(V)out}"
  return 1
}
zmodload zsh/zselect
zpty -b z "zsh -f -i"
zpty -w z 'autoload -Uz compinit; compinit -D -u; eval "$(toolwharf completion zsh)"; show() { print -r "<$BUFFER>" }; zle -N show; bindkey "^X" show; print LOADED$((40+2))'
wait_for LOADED42 || exit 1
for line want in "$@"; do
  zpty -w -n z "$line"$'\\t\\C-x\\C-u'
  wait_for "<$line[1,9]*$want>" && print completed
done
zpty -d z
`;

test('the script is for one of the three shells', async () => {
  const unknown = await toolwharf(['completion', 'zhs']);
  expect(unknown).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('did you mean zsh?'),
  });
  expect(await toolwharf(['completion'])).toMatchObject({ code: 2, stdout: '' });
});
