import type { ContributionFinding } from '../../../model/contribution.js';
import { contributionFinding, type FindingPlace } from '../contribution-findings.js';
import type { ContributedText } from '../text/contributed-text.js';
import { addressRules } from './address-rules.js';
import type { DescriptionRule } from './description-rule.js';
import { directiveRules } from './directive-rules.js';
import { encodedTexts } from './encoded-text.js';
import { otherTools } from './other-tools.js';
import { overrideRules } from './override-rules.js';
import { plainText } from './plain-text.js';
import { repeatsItself } from './repeated-text.js';

const rules: readonly DescriptionRule[] = [...overrideRules, ...directiveRules, ...addressRules];

/** Longer texts are searched in parts that overlap. */
const partLength = 32 * 1024;
const overlap = 1024;
/** A description that nobody reads to its end is a place to hide something. */
const maxDescription = 8 * 1024;
const shown = 80;
const hint = 'say what it does, not what a model should do';

/** Directives, overrides and encoded texts where there should be descriptions. `ownTools`: the tools of the package. */
export function checkTexts(
  texts: readonly ContributedText[],
  ownTools: ReadonlySet<string>,
): ContributionFinding[] {
  return texts.flatMap((it) => checkText(it, ownTools));
}

function checkText(it: ContributedText, ownTools: ReadonlySet<string>): ContributionFinding[] {
  // One word says nothing, unless it is long enough to encode something.
  if (!/[ \t\n\u00a0-\uffff]/.test(it.text) && it.text.length < 20) return [];
  const place: FindingPlace = {
    file: it.file,
    pointer: it.pointer,
    get range() {
      return it.range;
    },
  };
  const found: ContributionFinding[] = [];
  if (it.role === 'description' && it.text.length > maxDescription)
    found.push(
      contributionFinding(
        'contribute.long-text',
        place,
        `${it.field} has ${it.text.length.toLocaleString('en')} characters; a description has at most ${maxDescription.toLocaleString('en')}`,
        'move the details to a page of the documentation',
      ),
    );
  for (const part of partsOf(it.text)) {
    const plain = plainText(part);
    for (const rule of matching(plain, it))
      found.push(ruleFinding(rule.code, place, `${it.field} ${rule.what}`, plain, rule.pattern));
    for (const encoded of encodedTexts(part)) found.push(encodedFinding(encoded, it, place));
    if (it.role === 'description') {
      for (const name of otherTools(plain, ownTools))
        found.push(
          contributionFinding(
            'contribute.other-tool',
            place,
            `${it.field} speaks of the tool "${name}", which the package does not have`,
            'describe this package only',
          ),
        );
      if (repeatsItself(plain))
        found.push(
          contributionFinding(
            'contribute.model-address',
            place,
            `${it.field} repeats the same words again and again`,
            hint,
          ),
        );
    }
  }
  return found;
}

/** The first rule of each code: one finding says enough about one text. */
function matching(plain: string, { role }: ContributedText): DescriptionRule[] {
  const found = new Map<string, DescriptionRule>();
  for (const it of rules)
    if (!found.has(it.code) && it.roles.includes(role) && it.pattern.test(plain)) found.set(it.code, it);
  return [...found.values()];
}

/** Directives that are encoded are worse than plain ones: nobody encodes them by accident. */
function encodedFinding(encoded: string, it: ContributedText, place: FindingPlace): ContributionFinding {
  const plain = plainText(encoded);
  const isDirective = rules.some((rule) => rule.pattern.test(plain));
  const code = isDirective ? 'contribute.encoded-payload' : 'contribute.encoded-text';
  return contributionFinding(
    code,
    place,
    `${it.field} has an encoded text: ${JSON.stringify(encoded.slice(0, shown))}`,
    'write it in plain text',
  );
}

function ruleFinding(
  code: DescriptionRule['code'],
  place: FindingPlace,
  message: string,
  plain: string,
  pattern: RegExp,
): ContributionFinding {
  const match = (pattern.exec(plain)?.[0] ?? '').slice(0, shown);
  return contributionFinding(code, place, `${message}: ${JSON.stringify(match)}`, hint);
}

function* partsOf(text: string): Generator<string> {
  if (text.length <= partLength + overlap) return yield text;
  for (let at = 0; at < text.length; at += partLength) yield text.slice(at, at + partLength + overlap);
}
