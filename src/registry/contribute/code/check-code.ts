import type { ContributionFinding } from '../../../model/contribution.js';
import { contributionFinding } from '../contribution-findings.js';
import type { PackageFile } from '../package-files.js';
import { binaryKind } from './binary-kind.js';
import { installScripts } from './install-scripts.js';
import { obscured } from './obscured-code.js';
import { pythonCalls } from './python-calls.js';
import type { CodeEffect, ScannedCall, ScannedCode } from './scanned-code.js';
import { scriptCalls } from './script-calls.js';
import { secretsIn } from './secrets.js';
import { keyMaterialFile, needlessFile } from './unwanted-file.js';

const codeFile =
  /\.(?:py|pyw|js|mjs|cjs|ts|mts|cts|jsx|tsx|sh|bash|zsh|ps1|bat|cmd|rb|pl|php|lua|rs|go|c|cc|cpp|h|java|kt|swift|cs)$/i;
/** Parsing more takes too long; nobody reviews such a file either. */
const maxSource = 2 * 1024 * 1024;

const does: Record<CodeEffect, string> = {
  network: 'opens a connection',
  process: 'starts a process',
  write: 'changes files',
  native: 'loads native code or modules by name',
  dynamic: 'runs code that is made at run time',
  decoded: 'runs code that is encoded in the source',
};

/** What a person should know about the files of a package before anybody installs it. `manifest`: its path. */
export function checkPackageCode(files: readonly PackageFile[], manifest: string): ContributionFinding[] {
  const findings = files.flatMap(fileFindings);
  const hasOtherCode = files.some(
    (it) => codeFile.test(it.path) && !(it.path === manifest && files.length === 1),
  );
  if (hasOtherCode)
    findings.push(
      contributionFinding(
        'contribute.has-code',
        { file: manifest },
        'the package has code of its own, which a person looks at before it is published',
      ),
    );
  return [...findings, ...installScripts(files)];
}

function fileFindings(file: PackageFile): ContributionFinding[] {
  const { path, text } = file;
  const unwanted = [keyMaterialFile(file), needlessFile(file)].filter((it) => it !== undefined);
  if (text === undefined) {
    const kind = binaryKind(path, file.bytes);
    return kind === undefined
      ? unwanted
      : [
          ...unwanted,
          contributionFinding(
            'contribute.binary',
            { file: path },
            `this file is ${kind}, which nobody can review`,
            'publish the source, or leave it out',
          ),
        ];
  }
  return [...unwanted, ...secretsIn(file, text), ...codeFindings(path, text)];
}

function codeFindings(path: string, text: string): ContributionFinding[] {
  if (!codeFile.test(path)) return [];
  const unread = obscured(text);
  const findings =
    unread === undefined
      ? []
      : [
          contributionFinding(
            'contribute.obscured-code',
            { file: path },
            `people cannot review this code: ${unread}`,
            'publish the source as people write it',
          ),
        ];
  const scanned = scan(path, text);
  if (scanned === undefined) return findings;
  if (scanned.kind === 'unchecked')
    return [
      ...findings,
      contributionFinding(
        'contribute.unchecked-code',
        { file: path, ...(scanned.range === undefined ? {} : { range: scanned.range }) },
        `the code was not checked: ${scanned.reason}`,
      ),
    ];
  return [...findings, ...scanned.calls.flatMap((it) => callFinding(path, it))];
}

function scan(path: string, text: string): ScannedCode | undefined {
  if (text.length > maxSource) return { kind: 'unchecked', reason: 'it is larger than 2 MiB' };
  if (/\.pyw?$/i.test(path)) return pythonCalls(text);
  if (/\.[mc]?js$/i.test(path)) return scriptCalls(text, 'javascript');
  if (/\.[mc]?ts$/i.test(path)) return scriptCalls(text, 'typescript');
  return { kind: 'unchecked', reason: 'the checks cannot read this language' };
}

/** What a tool does when it is called is confined by the sandbox. What it does before that, or hides, is not expected. */
function callFinding(path: string, { effect, onImport, what, range }: ScannedCall): ContributionFinding[] {
  const place = { file: path, range };
  if (effect === 'decoded')
    return [
      contributionFinding(
        'contribute.decoded-code',
        place,
        `${what} ${does.decoded}`,
        'publish the code in plain text',
      ),
    ];
  if (onImport)
    return [
      contributionFinding(
        'contribute.import-effect',
        place,
        `${what} ${does[effect]} when the file is loaded`,
        'move it into the function that needs it',
      ),
    ];
  return effect === 'dynamic' || effect === 'native'
    ? [contributionFinding('contribute.dynamic-code', place, `${what} ${does[effect]}`)]
    : [];
}
