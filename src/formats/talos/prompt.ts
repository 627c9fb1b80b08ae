import type { Bundle } from '../../model/bundle.js';
import { codePointName, findHidden } from '../../model/unicode.js';
import { SourceText } from '../document/source-text.js';
import type { Report } from '../report.js';
import { readTextFile } from '../text-file.js';

const promptFile = 'prompt.md';

/** Checks the instructions and returns their path; null when there are none. */
export function checkPrompt(report: Report, bundle: Bundle): string | null {
  if (bundle.read(promptFile).kind === 'missing') return null;
  const read = readTextFile(bundle, promptFile);
  if (!read.ok) {
    for (const it of read.diagnostics) {
      if (it.code === 'file.empty') {
        const message = 'prompt.md is empty, so the package has no instructions';
        report.inFile('talos.prompt-empty', it.file, it.range, message, 'add text, or remove the file');
      } else {
        report.inFile(it.code, it.file, it.range, it.message, it.hint);
      }
    }
    return null;
  }
  const source = new SourceText(read.text);
  const seen = new Set<number>();
  for (const { kind, index, codePoint } of findHidden(read.text)) {
    if (seen.has(codePoint)) continue;
    seen.add(codePoint);
    const message = `prompt.md contains ${codePointName(codePoint)}, which readers cannot see`;
    const hint = 'delete it; if you cannot see it, type the text again';
    report.inFile(`text.${kind}`, read.file, source.range(index, index + 1), message, hint);
  }
  return promptFile;
}
