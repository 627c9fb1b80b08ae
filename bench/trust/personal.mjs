// Personal data: what of the recogniser cases of Presidio is found, and what only looks like it survives.
import { corpus } from './corpus.mjs';
import { personalSha256 } from './look.mjs';

/** Which recogniser tests what of ours. The others (names of people, plates, post codes, …) have no category here. */
const kinds = {
  email: { target: 0.95, files: { email: ['test_email_recognizer'] } },
  phone: {
    target: 0.95,
    files: {
      phone: ['test_phone_recognizer', 'test_tr_phone_number_recognizer', 'test_ph_mobile_number_recognizer'],
    },
  },
  'with a checksum': {
    target: 0.98,
    files: {
      credit_card: ['test_credit_card_recognizer'],
      iban: ['test_iban_recognizer'],
      crypto_wallet: ['test_crypto_recognizer'],
      national_id: [
        'test_ca_sin_recognizer',
        'test_de_tax_id_recognizer',
        'test_es_nie_recognizer',
        'test_es_nif_recognizer',
        'test_fi_personal_identity_code_recognizer',
        'test_in_aadhaar_recognizer',
        'test_it_fiscal_code_recognizer',
        'test_pl_pesel_recognizer',
        'test_se_personnummer_recognizer',
        'test_th_tnin_recognizer',
        'test_tr_national_id_recognizer',
        'test_za_id_number_recognizer',
      ],
    },
  },
  'without a checksum': {
    files: {
      ip_address: ['test_ip_recognizer'],
      mac_address: ['test_mac_recognizer'],
      // The cases for Singapore are of a recogniser that looks at no check letter.
      national_id: [
        'test_sg_fin_recognizer',
        'test_uk_nino_recognizer',
        'test_us_ssn_recognizer',
        'test_us_itin_recognizer',
        'test_kr_rrn_recognizer',
      ],
    },
  },
};

export function personalCases({ personal }) {
  const all = corpus('presidio-recognizer-cases');
  if (all === undefined) return undefined;
  return Object.entries(kinds).map(([name, { target, files }]) => {
    const result = { name, target, positives: 0, found: 0, negatives: 0, survived: 0, missed: [], taken: [] };
    for (const [category, recognisers] of Object.entries(files)) {
      for (const { file, values } of all.filter((it) => recognisers.includes(it.file.replace(/\.py$/, '')))) {
        const [text, expected, ...rest] = values;
        if (typeof text !== 'string' || typeof expected !== 'number') continue;
        const clean = personal.redactPersonal(text, [category], personalSha256);
        if (expected === 0) {
          result.negatives++;
          if (clean === text) result.survived++;
          else result.taken.push(`${file}: ${text}`);
          continue;
        }
        const spans = spansOf(rest, text, expected);
        result.positives++;
        if (spans.every(([start, end]) => !clean.includes(text.slice(start, end)))) result.found++;
        else result.missed.push(`${file}: ${text}`);
      }
    }
    return result;
  });
}

/** The places that a case says; without them, the whole text. */
function spansOf(rest, text, expected) {
  for (const it of rest) {
    if (!Array.isArray(it)) continue;
    if (expected === 1 && it.length === 2 && it.every(Number.isInteger)) return [it];
    if (it.length === expected && it.every((one) => Array.isArray(one) && one.every(Number.isInteger)))
      return it;
  }
  return [[0, text.length]];
}
