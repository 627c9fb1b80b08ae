import { type Launch, type LaunchProblem, launchProblem } from './launch.js';

const npmVariable =
  /^npm_config_(?:registry|.*:registry|userconfig|globalconfig)$|^(?:bun_config_registry|yarn_registry|yarn_npm_registry_server)$/i;
const pythonVariable =
  /^UV_(?:INDEX(?:_.*)?|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|CONFIG_FILE)$|^PIP_(?:INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|CONFIG_FILE)$/;

/**
 * Why the variables of a server cannot be used: one of them names where its package comes from. Without it, a package
 * with the same name would be fetched from elsewhere.
 */
export function indexProblem({ program }: Launch, variables: readonly string[]): LaunchProblem | undefined {
  if (program.kind === 'npm') {
    const found = variables.find((it) => npmVariable.test(it));
    return found === undefined ? undefined : registryProblem(`the variable ${found}`);
  }
  if (program.kind !== 'pypi') return undefined;
  const found = variables.find((it) => pythonVariable.test(it));
  return found === undefined ? undefined : pythonIndexProblem(`the variable ${found}`);
}

export function registryProblem(what: string): LaunchProblem {
  return launchProblem(
    `${what} names another registry`,
    'name it with --npm-registry, or as npm.registry in the configuration',
  );
}

export function pythonIndexProblem(what: string): LaunchProblem {
  return launchProblem(
    `${what} names another index`,
    'name it with --index, or as python.index in the configuration',
  );
}
