import { describe, expect, test } from 'vitest';
import { readLaunch } from './read-launch.js';

/** What is understood, in short: what is fetched, the command, the arguments, the variables. */
function read(line: string) {
  const found = readLaunch(line.split(' ').filter((it) => it !== ''));
  if ('problem' in found) return found.problem;
  const { program, args, env, passed, mounts } = found;
  const what = program.kind === 'image' ? program.image : program.kind === 'program' ? '' : program.package;
  const command = 'command' in program ? (program.command ?? '') : '';
  const more = [
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...passed,
    ...mounts.map((it) => `${it.from}>${it.to}${it.writable ? '' : ' (read)'}`),
  ];
  return [program.kind, what, command, args.join(' '), more.join(' ')].join(' | ');
}

const lines: readonly (readonly [string, string])[] = [
  [
    'npx -y @modelcontextprotocol/server-filesystem /home/me/docs',
    'npm | @modelcontextprotocol/server-filesystem |  | /home/me/docs | ',
  ],
  ['npx @playwright/mcp@latest --headless', 'npm | @playwright/mcp@latest |  | --headless | '],
  ['npx -y -p @scope/tools@1.2.3 notes --stdio', 'npm | @scope/tools@1.2.3 | notes | --stdio | '],
  ['npx --yes --package=notes notes-server', 'npm | notes | notes-server |  | '],
  ['npx --package notes@^2 -- notes-server -y', 'npm | notes@^2 | notes-server | -y | '],
  ['/usr/local/bin/npx -y notes -y', 'npm | notes |  | -y | '],
  ['cmd /c npx -y notes', 'npm | notes |  |  | '],
  ['npx.cmd -y notes', 'npm | notes |  |  | '],
  ['npm exec --yes --package=notes -- notes-server --port 1', 'npm | notes | notes-server | --port 1 | '],
  ['npm exec notes -- --stdio', 'npm | notes |  | --stdio | '],
  ['npm x -y notes', 'npm | notes |  |  | '],
  ['bunx notes@1 --stdio', 'npm | notes@1 |  | --stdio | '],
  ['bun x --bun notes', 'npm | notes |  |  | '],
  ['pnpm dlx @scope/notes a', 'npm | @scope/notes |  | a | '],
  ['pnpm --package=@scope/notes dlx notes a', 'npm | @scope/notes | notes | a | '],
  ['yarn dlx -p notes notes-server', 'npm | notes | notes-server |  | '],
  ['uvx mcp-server-fetch', 'pypi | mcp-server-fetch | mcp-server-fetch |  | '],
  [
    'uvx mcp-server-git --repository /srv/repo',
    'pypi | mcp-server-git | mcp-server-git | --repository /srv/repo | ',
  ],
  ['uvx notes@1.4.0 --x', 'pypi | notes==1.4.0 | notes | --x | '],
  ['uvx notes@latest', 'pypi | notes | notes |  | '],
  ['uvx notes==1.4', 'pypi | notes==1.4 | notes |  | '],
  ['uvx --from notes-tools>=2 notes serve', 'pypi | notes-tools>=2 | notes | serve | '],
  ['uvx --python 3.12 notes', 'pypi | notes | notes |  | '],
  ['uv tool run notes', 'pypi | notes | notes |  | '],
  ['pipx run --spec notes==1.0 notes-server a', 'pypi | notes==1.0 | notes-server | a | '],
  ['pipx run notes', 'pypi | notes | notes |  | '],
  ['docker run -i --rm mcp/github', 'image | docker.io/mcp/github |  |  | '],
  [
    'docker run -i --rm -e TOKEN ghcr.io/team/notes:1.2 stdio',
    'image | ghcr.io/team/notes:1.2 |  | stdio | TOKEN',
  ],
  ['docker run -it --rm -e A=b --env=C=d --env E notes', 'image | docker.io/library/notes |  |  | A=b C=d E'],
  [
    'podman run --rm -i -v /srv/a:/data:ro mcp/fs /data/x',
    'image | docker.io/mcp/fs |  | /srv/a/x | /srv/a>/data (read)',
  ],
  [
    'docker run -i --mount type=bind,src=/srv/a,dst=/p mcp/fs /p',
    'image | docker.io/mcp/fs |  | /srv/a | /srv/a>/p',
  ],
  ['docker container run -i mcp/fs', 'image | docker.io/mcp/fs |  |  | '],
  ['API_KEY=abc npx -y notes', 'npm | notes |  |  | API_KEY=abc'],
  ['env API_KEY=abc MODE=x uvx notes', 'pypi | notes | notes |  | API_KEY=abc MODE=x'],
  ['node /srv/server/index.js --stdio', 'program |  | node | /srv/server/index.js --stdio | '],
  ['python3 -m notes', 'program |  | python3 | -m notes | '],
  ['/usr/bin/notes-server', 'program |  | /usr/bin/notes-server |  | '],
  ['npm start', 'program |  | npm | start | '],
];

const problems: readonly (readonly [string, string])[] = [
  ['', 'the command line is empty'],
  ['npx', 'npx is not told which package to run'],
  ['npx -y', 'npx is not told which package to run'],
  ['npx -c notes', 'npx would run a line of a shell'],
  ['npx -p a -p b c', 'npx would install 2 packages'],
  ['npx --wild notes', 'npx has an option that is not known here: --wild'],
  ['npx github:me/notes', '"github:me/notes" is not a package of a registry'],
  ['npx ./server', '"./server" is not a package of a registry'],
  ['uvx --with more notes', 'uvx would install further packages'],
  ['uvx --from git+https://example.com/x notes', '"notes" is not a package of a Python index'],
  ['uvx notes[cli]', '"notes[cli]" is not a package of a Python index'],
  ['uvx --index-url https://example.com notes', 'uvx names another index'],
  ['npx --registry https://example.com notes', 'npx names another registry'],
  ['npx --registry=https://example.com notes', 'npx names another registry'],
  ['pnpm --registry=https://example.com dlx notes', 'pnpm dlx names another registry'],
  [
    'pipx run --pip-args=--index-url=https://example.com notes',
    'pipx run has options for pip, which could name another index',
  ],
  ['docker run -i', 'docker run is not told which image to run'],
  ['docker run -i --privileged notes', 'docker run has an option that is not known here: --privileged'],
  ['docker run -i --entrypoint sh notes', 'docker run --entrypoint is not supported'],
  ['docker run -i -v data:/data notes', '-v data:/data is a volume of the container engine'],
  ['bash -c notes', 'a line of a shell cannot be read or locked'],
  ['sudo npx notes', 'servers never run as root'],
  ['uv run server.py', 'uv run would fetch packages each time the server starts'],
];

describe('a command line', () => {
  test.each(lines)('%s', (line, expected) => {
    expect(read(line)).toBe(expected);
  });
});

describe('a command line that cannot be used', () => {
  test.each(problems)('%s', (line, expected) => {
    expect(read(line)).toBe(expected);
  });
});
