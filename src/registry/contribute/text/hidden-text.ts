import { SourceText } from '../../../formats/document/source-text.js';
import type { ContributionFinding } from '../../../model/contribution.js';
import { codePointName, findHidden, findLookalikes, type HiddenKind } from '../../../model/unicode.js';
import { contributionFinding } from '../contribution-findings.js';
import type { PackageFile } from '../package-files.js';
import type { ContributedText } from './contributed-text.js';
import { foreignWords } from './foreign-words.js';
import { hasTextFields } from './package-texts.js';

const kindNames: Record<HiddenKind, string> = {
  control: 'control character',
  invisible: 'invisible character',
  bidi: 'bidirectional control',
  tag: 'tag character',
};

const hint = 'delete it; if you cannot see it, type the text again';
/** Named in one finding per text and category. */
const maxNamed = 8;

/** Characters that readers do not see, in the decoded fields. An escape such as \u200b shows them only here. */
export function hiddenInFields(texts: readonly ContributedText[]): ContributionFinding[] {
  return texts.flatMap((it) => {
    if (printable.test(it.text)) return [];
    const place = { file: it.file, range: it.range, pointer: it.pointer };
    return [
      // A page is searched as the file that it is in.
      ...(it.pointer === undefined ? [] : hiddenByKind(it.text)).map(([kind, points]) =>
        contributionFinding(
          'contribute.hidden-text',
          place,
          `${it.field} contains ${named(kind, points)}`,
          hint,
        ),
      ),
      ...lookAlikeWords(it.text).map((message) =>
        contributionFinding(
          'contribute.look-alike-word',
          place,
          `${it.field} has ${message}`,
          'use letters of only one script within a word',
        ),
      ),
    ];
  });
}

/**
 * The same in files as they are. People review source code as well: a character that changes the reading direction can
 * make code look different from what runs. In data that only the code reads it is a warning.
 */
export function hiddenInFiles(files: readonly PackageFile[], manifest: string): ContributionFinding[] {
  return files.flatMap(({ path, text }) => {
    const inName = hiddenByKind(path).map(([kind, points]) =>
      contributionFinding(
        'contribute.file-name',
        { file: manifest },
        `the name of the file ${JSON.stringify(path)} contains ${named(kind, points)}`,
        'rename the file',
      ),
    );
    if (text === undefined) return inName;
    return [...inName, ...hiddenInFile(path, text, manifest)];
  });
}

const printable = /^[\t\n\r\x20-\x7e]*$/;
const dataFile = /\.(?:json|jsonl|csv|tsv|xml|svg|html?|css|lock|map|sql|ipynb|po|srt|vtt|log|geojson)$/i;

function hiddenInFile(path: string, text: string, manifest: string): ContributionFinding[] {
  if (printable.test(text)) return [];
  const isData = dataFile.test(path) && !hasTextFields(path, manifest);
  // A byte order mark is not text. The manifest formats have their own rule for it.
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const source = new SourceText(text);
  const found: ContributionFinding[] = [];
  const reported = new Set<number>();
  for (const { kind, index, codePoint } of findHidden(text)) {
    // Page breaks are usual between the parts of long texts and sources.
    if (index < start || codePoint === 0x0c || reported.has(codePoint)) continue;
    reported.add(codePoint);
    const range = source.range(index, index + String.fromCodePoint(codePoint).length);
    const code = isData ? 'contribute.hidden-data' : 'contribute.hidden-text';
    found.push(
      contributionFinding(code, { file: path, range }, `the file contains ${named(kind, [codePoint])}`, hint),
    );
    if (reported.size === 64) break;
  }
  return found;
}

function hiddenByKind(text: string): [HiddenKind, number[]][] {
  const byKind = new Map<HiddenKind, Set<number>>();
  for (const { kind, codePoint } of findHidden(text))
    byKind.set(kind, (byKind.get(kind) ?? new Set()).add(codePoint));
  return [...byKind].map(([kind, points]) => [kind, [...points]]);
}

function named(kind: HiddenKind, points: readonly number[]): string {
  const shown = points.slice(0, maxNamed).map(codePointName).join(', ');
  const more = points.length > maxNamed ? ` and ${points.length - maxNamed} more` : '';
  return `the ${kindNames[kind]}${points.length === 1 ? '' : 's'} ${shown}${more}`;
}

function lookAlikeWords(text: string): string[] {
  const mixed = findLookalikes(text).map(
    ({ word, codePoint, script }) =>
      `a word that mixes scripts: ${JSON.stringify(word)} has ${codePointName(codePoint)}, a ${script} letter`,
  );
  return [...new Set([...mixed, ...foreignWords(text)])].slice(0, maxNamed);
}
