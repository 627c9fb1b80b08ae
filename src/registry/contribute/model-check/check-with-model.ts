import type { ContributionFinding, ModelVerdict } from '../../../model/contribution.js';
import { HostError } from '../../../model/host-error.js';
import { contributionFinding } from '../contribution-findings.js';
import type { ContributedText } from '../text/contributed-text.js';
import { readAnswer } from './answer.js';
import { controlTexts } from './control-texts.js';
import { type AskedText, questionAbout } from './question.js';
import type { ManipulationKind, ModelCategory, TextModel } from './text-model.js';

/** What the model thinks of the texts. */
export interface ModelCheck {
  readonly verdict: ModelVerdict;
  readonly findings: readonly ContributionFinding[];
}

export interface ModelCheckOptions {
  readonly model: TextModel;
  /** Random, in hex. Nobody can guess it. */
  readonly randomId: () => string;
  readonly manifest: string;
}

/** Characters of one question, and texts in it. */
const maxCharacters = 16_000;
const maxTexts = 24;
/** A longer text is asked about in parts, which overlap so that nothing is cut in two. */
const partLength = 8000;
const overlap = 400;
/** More is a sign of an attack on the budget; nobody reads it either. */
const maxTotal = 600_000;

interface Part {
  readonly of: ContributedText;
  readonly text: string;
}

/** Asks the model about all texts. Each failure, and each answer that is not exactly as asked, rejects the package. */
export async function checkWithModel(
  texts: readonly ContributedText[],
  options: ModelCheckOptions,
): Promise<ModelCheck> {
  const { model, manifest } = options;
  const parts = texts.filter((it) => /\p{L}.*\p{L}/su.test(it.text)).flatMap(partsOf);
  const failed = (reason: string): ModelCheck => ({
    verdict: { status: 'failed', model: model.name, reason },
    findings: [
      contributionFinding(
        'contribute.model-failed',
        { file: manifest },
        `the model did not check the texts: ${reason}`,
        'run the checks again later',
      ),
    ],
  });
  if (parts.reduce((sum, it) => sum + it.text.length, 0) > maxTotal)
    return failed(`the texts have more than ${maxTotal.toLocaleString('en')} characters`);
  const findings: ContributionFinding[] = [];
  for (const batch of batchesOf(parts)) {
    const result = await askAbout(batch, options);
    if (typeof result === 'string') return failed(result);
    for (const [index, part] of batch.entries()) {
      const category = result[index] as ModelCategory;
      if (category !== 'none') findings.push(modelFinding(category, part.of));
    }
  }
  return { verdict: { status: 'checked', model: model.name, texts: parts.length }, findings };
}

/** The categories of one batch in its order, or why there are none. */
async function askAbout(
  batch: readonly Part[],
  { model, randomId }: ModelCheckOptions,
): Promise<ModelCategory[] | string> {
  const pick = (count: number) => Number.parseInt(randomId().slice(0, 8), 16) % count;
  const controls = controlTexts(pick).map((it) => ({ ...it, id: randomId() }));
  const own = batch.map(({ of, text }) => ({ id: randomId(), role: of.role, text }));
  const asked: AskedText[] = [...own];
  for (const { id, role, text } of controls) asked.splice(pick(asked.length + 1), 0, { id, role, text });
  let answer: string;
  try {
    answer = await model.ask(questionAbout(asked));
  } catch (error) {
    if (error instanceof HostError && error.code !== 'canceled') return error.message;
    throw error;
  }
  const categories = readAnswer(
    answer,
    asked.map((it) => it.id),
  );
  if (categories === undefined) return 'its answer is not one of the answers that it was given';
  const isWrong = controls.some((it) => (categories.get(it.id) !== 'none') !== it.isManipulation);
  if (isWrong) return 'it was wrong about a text whose answer is known, so its other answers do not count';
  return own.map((it) => categories.get(it.id) as ModelCategory);
}

const what: Record<ManipulationKind, string> = {
  imperative_instruction: 'gives instructions to a model',
  instruction_override_attempt: 'tries to override instructions',
  encoded_payload: 'has encoded or disguised content',
  tool_directive: 'steers other tools',
  agent_manipulation: 'manipulates a model',
};

function modelFinding(category: ManipulationKind, it: ContributedText): ContributionFinding {
  return contributionFinding(
    'contribute.model-finding',
    it,
    `${it.field} ${what[category]} (${category}), says the model`,
    'say what it does, not what a model should do',
  );
}

function partsOf(of: ContributedText): Part[] {
  const { text } = of;
  if (text.length <= partLength) return [{ of, text }];
  const parts: Part[] = [];
  for (let at = 0; at < text.length; at += partLength - overlap)
    parts.push({ of, text: text.slice(at, at + partLength) });
  return parts;
}

function batchesOf(parts: readonly Part[]): Part[][] {
  const batches: Part[][] = [];
  let size = 0;
  for (const it of parts) {
    const last = batches.at(-1);
    if (last === undefined || last.length === maxTexts || size + it.text.length > maxCharacters) {
      batches.push([it]);
      size = it.text.length;
    } else {
      last.push(it);
      size += it.text.length;
    }
  }
  return batches;
}
