import type { Bundle } from '../../model/bundle.js';
import { checkPromptText } from '../text-check.js';
import { readTextFile } from '../text-file.js';
import type { TalosReport } from './codes.js';

const promptFile = 'prompt.md';

/** Checks the instructions and returns their path; null when there are none. */
export function checkPrompt(report: TalosReport, bundle: Bundle): string | null {
  if (bundle.read(promptFile).kind === 'missing') return null;
  const read = readTextFile(bundle, promptFile);
  if (!read.ok) {
    report.add(read.diagnostics.filter((it) => it.code !== 'file.empty'));
    for (const { file, range } of read.diagnostics.filter((it) => it.code === 'file.empty')) {
      const message = 'prompt.md is empty, so the package has no instructions';
      report.inFile('talos.prompt-empty', file, range, message, 'add text, or remove the file');
    }
    return null;
  }
  checkPromptText(report, read.file, read.text, promptFile);
  return promptFile;
}
