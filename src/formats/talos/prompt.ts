import type { Bundle } from '../../model/bundle.js';
import { codePointName, findHidden } from '../../model/unicode.js';
import { SourceText } from '../document/text.js';
import type { Report } from '../report.js';
import { readText } from '../source.js';

const promptFile = 'prompt.md';

/** The path of the instructions that come with the functions; null when there are none. */
export function checkPrompt(report: Report, bundle: Bundle): string | null {
  if (bundle.read(promptFile).kind === 'missing') return null;
  const read = readText(bundle, promptFile);
  if (!read.ok) {
    for (const it of read.diagnostics) {
      if (it.code === 'file.empty') {
        const message = 'the instructions are empty, so none are served';
        report.inFile('talos.prompt-empty', it.file, it.range, message, 'write them, or remove the file');
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
    const message = `the instructions hold ${codePointName(codePoint)}, which a reader does not see`;
    const hint = 'delete it; type the text anew if you cannot see it';
    report.inFile(`text.${kind}`, read.file, source.range(index, index + 1), message, hint);
  }
  return promptFile;
}
