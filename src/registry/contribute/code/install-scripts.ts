import { parseJson } from '../../../formats/document/json.js';
import { parseToml } from '../../../formats/document/toml.js';
import type { ContributionFinding } from '../../../model/contribution.js';
import { isObject } from '../../../model/json.js';
import { contributionFinding } from '../contribution-findings.js';
import type { PackageFile } from '../package-files.js';

const npmScripts = /^(?:pre|post)?(?:install|prepare)$|^prepublish$|^dependencies$/;

/** Programs that run when somebody only installs the package. */
export function installScripts(files: readonly PackageFile[]): ContributionFinding[] {
  return files.flatMap(({ path, text }) => {
    if (text === undefined) return [];
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name === 'package.json') return npmFindings(path, text);
    if (name === 'pyproject.toml') return pythonBackend(path, text);
    if (name === 'setup.py') return [finding(path, 'setup.py runs when the package is built or installed')];
    if (name === 'binding.gyp') return [finding(path, 'npm compiles native code when it finds this file')];
    if (name === 'sitecustomize.py' || name === 'usercustomize.py' || name.endsWith('.pth'))
      return [finding(path, 'Python runs this file at every start')];
    return name === 'build.rs' ? [finding(path, 'build.rs runs when the package is compiled')] : [];
  });
}

function npmFindings(path: string, text: string): ContributionFinding[] {
  const document = parseJson(text);
  const scripts = isObject(document.value) ? document.value.scripts : undefined;
  if (!isObject(scripts)) return [];
  return Object.keys(scripts)
    .filter((it) => npmScripts.test(it))
    .map((it) =>
      contributionFinding(
        'contribute.install-script',
        { file: path, range: document.locate(['scripts', it]), pointer: `/scripts/${it}` },
        `the script "${it}" runs when the package is installed`,
        'remove it; an install only unpacks files',
      ),
    );
}

function pythonBackend(path: string, text: string): ContributionFinding[] {
  const document = parseToml(text);
  const build = isObject(document.value) ? document.value['build-system'] : undefined;
  if (!isObject(build) || build['backend-path'] === undefined) return [];
  return [
    contributionFinding(
      'contribute.install-script',
      { file: path, range: document.locate(['build-system', 'backend-path']) },
      'the package builds itself with its own code',
    ),
  ];
}

function finding(path: string, message: string): ContributionFinding {
  return contributionFinding(
    'contribute.install-script',
    { file: path },
    message,
    'an install should only unpack files',
  );
}
