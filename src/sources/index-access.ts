import { openBuildSandbox } from '../environment/build-sandbox.js';
import { makeFolderWithMode } from '../environment/file-tree.js';
import { installerNetwork } from '../environment/installer-network.js';
import { npmOf } from '../environment/npm.js';
import { HostError } from '../model/host-error.js';
import { findNode, findPython, type Interpreter } from '../sandbox/interpreter.js';
import type { Remote } from './download.js';
import type { AcquireOptions } from './source.js';

/** Prints the index that pip uses if nothing is configured. */
const pipIndex = 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)';

/** The configured registry of npm, or npm's own. */
export async function npmRegistry(options: AcquireOptions): Promise<Remote> {
  const { indexes, node, sandbox } = options.services;
  if (indexes.npmRegistry !== undefined) return configuredIndex(indexes.npmRegistry);
  const interpreter = findNode(undefined, sandbox.user, node);
  return {
    url: withSlash(await printedBy(interpreter, [npmOf(interpreter), 'config', 'get', 'registry'], options)),
  };
}

/** The configured index of pip, or pip's own. */
export async function pythonIndex(options: AcquireOptions): Promise<Remote> {
  const { indexes, home, pythons, sandbox } = options.services;
  if (indexes.pythonIndex !== undefined) return configuredIndex(indexes.pythonIndex);
  const interpreter = findPython(undefined, sandbox.user, home, pythons);
  return { url: withSlash(await printedBy(interpreter, ['-I', '-c', pipIndex], options)) };
}

/** Name and password of the URL go into a header; nothing else may see them. */
function configuredIndex(text: string): Remote {
  const network = installerNetwork(text, 'none');
  if (network.kind !== 'index') throw new Error('a configured index is always one');
  const url = new URL(network.url);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const plain = { url: withSlash(url.href), configured: true };
  if (username === '' && password === '') return plain;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  return { ...plain, headers: { authorization }, credential: true };
}

/** Another place of the same index. Its headers are sent only to the same host. */
export function onIndex(index: Remote, url: string): Remote {
  return new URL(url).origin === new URL(index.url).origin ? { ...index, url } : { url };
}

/** Asks an installer for its default, in the sandbox and without network. */
async function printedBy(
  interpreter: Interpreter,
  args: readonly string[],
  { services, signal }: AcquireOptions,
): Promise<string> {
  const { sandbox, openEgress, buildFolder, newSocket } = services;
  makeFolderWithMode(buildFolder, 0o711);
  const build = await openBuildSandbox(
    {
      folder: buildFolder,
      name: services.newName(),
      sandbox,
      openEgress,
      ...(newSocket === undefined ? {} : { newSocket }),
    },
    signal,
  );
  try {
    const { ok, stdout } = await build.run({
      name: 'looking up the package index',
      mounts: interpreter.mounts,
      argv: [interpreter.path, ...args],
      directory: '/tmp',
      environment: {
        npm_config_userconfig: '/tmp/none',
        npm_config_globalconfig: '/tmp/no',
        PIP_CONFIG_FILE: '/dev/null',
      },
      limitAddressSpace: false,
      network: { kind: 'none' },
    });
    const url = stdout.trim();
    if (ok && /^https:\/\/[!-~]+$/.test(url)) return url;
    throw new HostError(
      'runtime_missing',
      'no package index is configured, and the installer does not name one',
      {
        hint: 'configure the index',
      },
    );
  } finally {
    await build.close();
  }
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
