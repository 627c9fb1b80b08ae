import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import type { ToolspaceReport } from './codes.js';
import { resolvePackagePath } from './runtime-rules.js';

// Every pattern is anchored and rejects a leading "-", so that no value can become an option of the installer or make
// it fetch from another place.
const pipPackage = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._, -]*\])?$/;
const npmPackage = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i;
const pipClause = /^(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*$/;
const npmRange = /^[\^~<>=*xX\dA-Za-z][\^~<>=|*.+\dA-Za-z\s-]*$/;
const imageReference = /^[a-z0-9][A-Za-z0-9._:/-]*(?:@[a-z0-9]+:[a-f0-9]+)?$/;

/** Checks what is installed, and whether the same reference always gives the same files. */
export function checkInstall(report: ToolspaceReport, runtime: Json | undefined): void {
  const install = isObject(runtime) ? runtime.install : undefined;
  if (!isObject(runtime) || !isObject(install)) return;
  switch (install.method) {
    case 'pip':
    case 'npm':
      checkPackage(report, install, install.method);
      checkLanguage(report, runtime.kind, install.method);
      break;
    case 'git':
      checkGit(report, install);
      break;
    case 'container':
      checkImage(report, install.image);
      break;
  }
}

function checkPackage(report: ToolspaceReport, install: JsonObject, method: 'pip' | 'npm'): void {
  const { package: name, version_spec: spec } = install;
  const namePattern = method === 'pip' ? pipPackage : npmPackage;
  if (typeof name === 'string' && name !== '' && !namePattern.test(name)) {
    const message = `${show(name)} is not a valid ${method} package name`;
    report.at('toolspace.package-name', ['runtime', 'install', 'package'], message, {
      hint: 'write only the name; put a version in version_spec, and use method "git" for a repository',
    });
  }
  if (typeof spec !== 'string') return;
  const valid =
    method === 'pip' ? spec.split(',').every((it) => pipClause.test(it.trim())) : npmRange.test(spec.trim());
  if (!valid) {
    const example = method === 'pip' ? '"==1.4.0" or ">=1.4,<2"' : '"1.4.0" or "^1.4"';
    const message = `${show(spec)} is not a valid ${method} version`;
    report.at('toolspace.version-spec', ['runtime', 'install', 'version_spec'], message, {
      hint: `write it like ${example}`,
    });
  }
}

function checkLanguage(report: ToolspaceReport, kind: Json | undefined, method: 'pip' | 'npm'): void {
  const other = method === 'pip' ? 'node-module' : 'python-module';
  if (kind !== other) return;
  report.at(
    'toolspace.install-kind',
    ['runtime', 'install', 'method'],
    `${method} cannot install a ${other}`,
    {
      hint: `use "${method === 'pip' ? 'npm' : 'pip'}", or change runtime.kind`,
    },
  );
}

function checkGit(report: ToolspaceReport, install: JsonObject): void {
  const { ref, subpath } = install;
  if (typeof ref === 'string') {
    const path = ['runtime', 'install', 'ref'];
    if (!isRefName(ref)) {
      report.at('toolspace.git-ref-name', path, `${show(ref)} is not a valid commit, tag or branch name`, {
        hint: 'write a full commit id',
      });
    } else if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)) {
      const message = `${show(ref)} is not a full commit id, so its files can change later`;
      report.at('toolspace.git-ref', path, message, {
        hint: 'write the full commit id; git rev-parse prints it',
      });
    }
  }
  if (typeof subpath === 'string' && resolvePackagePath(subpath) === undefined) {
    const path = ['runtime', 'install', 'subpath'];
    report.at(
      'toolspace.path-escape',
      path,
      `runtime.install.subpath ${show(subpath)} leaves the repository`,
      {
        hint: 'name a folder of the repository, relative to its root',
      },
    );
  }
}

/** The rules of git-check-ref-format, and no leading "-". */
function isRefName(ref: string): boolean {
  if (ref === '' || ref.startsWith('-') || ref.startsWith('/') || ref.endsWith('/') || ref.endsWith('.'))
    return false;
  return !/[\s~^:?*[\\\x00-\x1f\x7f]|\.\.|@\{|\/\/|\.lock$/.test(ref);
}

function checkImage(report: ToolspaceReport, image: Json | undefined): void {
  if (typeof image !== 'string') return;
  const path = ['runtime', 'install', 'image'];
  if (!imageReference.test(image)) {
    report.at('toolspace.image-reference', path, `${show(image)} is not a valid image reference`, {
      hint: 'write registry/name@sha256:…, in lowercase',
    });
  } else if (!/@sha256:[a-f0-9]{64}$/.test(image)) {
    const message = `${show(image)} has no digest, so the image can change later`;
    report.at('toolspace.image-digest', path, message, {
      hint: 'add "@sha256:" and the 64 hexadecimal digits',
    });
  }
}
