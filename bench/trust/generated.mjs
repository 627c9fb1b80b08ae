// Generated cases, by half. `seen` is for tuning and lists its failures; `unseen` only counts them.
import { generatedAnswers } from './generated/answers.mjs';
import { generatedKeys, generatedNear, generatedOrdinary } from './generated/keys.mjs';
import { generatedPersonal } from './generated/personal.mjs';
import { look, personalSha256 } from './look.mjs';

export function generatedCases({ redact, personal }) {
  const clean = (value) => redact.redactNow(value, [], look).value;
  const isSame = (value) => JSON.stringify(clean(value)) === JSON.stringify(value);
  return {
    'generated keys found': count(generatedKeys(), 0.98, ({ text, secret }) => !clean(text).includes(secret)),
    'generated keys in a member': count(
      memberCases(generatedKeys()),
      0.98,
      ({ value, secret }) => !JSON.stringify(clean(value)).includes(secret),
    ),
    'ordinary lines unchanged': count(generatedOrdinary(), 0.97, ({ text }) => isSame(text)),
    'nearly keys unchanged': count(generatedNear(), 0.97, ({ text }) => isSame(text)),
    'ordinary answers unchanged': count(generatedAnswers(), 1, ({ value }) => isSame(value)),
    'ordinary answers as text unchanged': count(answerTexts(), 1, ({ text }) => isSame(text)),
    ...Object.fromEntries(
      Object.entries(generatedPersonal()).map(([kind, { target, cases }]) => [
        `generated personal data, ${kind}`,
        count(cases, target, ({ text, category, secret }) => {
          const left = personal.redactPersonal(text, [category], personalSha256);
          return secret === undefined ? left === text : !left.includes(secret);
        }),
      ]),
    ),
  };
}

/** Keys with a name become members of an object. */
function memberCases(keys) {
  return keys
    .filter((it) => it.name.endsWith(', equals'))
    .map(({ name, half, secret }) => ({
      name,
      half,
      secret,
      value: { retries: 3, [name.split(',')[0]]: secret },
    }));
}

function answerTexts() {
  return generatedAnswers().flatMap(({ name, half, texts }) =>
    Object.entries(texts).map(([how, text]) => ({ name: `${name}, ${how}`, half, text })),
  );
}

function count(cases, target, isRight) {
  const result = { target, seen: { all: 0, right: 0 }, unseen: { all: 0, right: 0 }, wrong: [] };
  for (const it of cases) {
    const half = result[it.half];
    half.all++;
    if (isRight(it)) half.right++;
    else if (it.half === 'seen') result.wrong.push(it.name);
  }
  return result;
}
