// What looking costs: per KB of text, and per call, in processor time, in one interleaved run.
import { chance, letters } from './chance.mjs';
import { look, noSettings, setting } from './look.mjs';

const kilobytes = 100;

export async function costs({ scanner, patterns, redact, known }, rounds = 31) {
  const lot = chance(99);
  const entries = Array.from({ length: 50 }, (_, at) => ({
    package: `p${at}`,
    slot: 'KEY',
    value: lot.text(40, letters),
  }));
  const vault = { all: async () => entries, generation: () => 0 };
  const scan = await new scanner.SecretScanner(vault, noSettings).forCall(
    { id: 'none', slots: [] },
    new Map(),
    setting,
  );
  const words = 'the quick brown fox jumps over one lazy dog while rain falls on quiet hills near home'.split(
    ' ',
  );
  const clean = fill(() => lot.pick(words), ' ');
  const dense = fill(
    () =>
      lot.pick([
        'api_key = os.environ',
        'token: expired',
        'password reset',
        'secret santa',
        'https://example.org/auth',
        'sk-',
        'eyJ',
      ]),
    '\n',
  );
  const json = JSON.stringify(
    Array.from({ length: 900 }, (_, id) => ({
      id,
      name: lot.pick(words),
      key: lot.text(20, letters),
      tags: [lot.pick(words)],
    })),
  ).slice(0, kilobytes * 1024);
  // As it comes from a tool.
  const answer = JSON.parse(
    JSON.stringify({ ok: true, words: 12, text: clean.slice(0, 300), items: [1, 2, 3] }),
  );
  const tiny = JSON.parse('{"text":"word 12"}');
  const hiding = [{ values: new known.KnownValues(entries.map((it) => it.value)), nameOf: () => 'KEY' }];
  const measured = {
    'clean text, per KB': [() => scan.clean(clean), kilobytes],
    'keyword-dense text, per KB': [() => scan.clean(dense), kilobytes],
    'JSON as text, per KB': [() => scan.clean(json), kilobytes],
    'shapes alone, clean, per KB': [() => patterns.findPatterns(clean, look), kilobytes],
    '50 values alone, clean, per KB': [() => hiding[0].values.find(clean), kilobytes],
    'a small answer, per call': [
      async () => {
        for (let at = 0; at < 50; at++) await scan.clean(answer);
      },
      50,
    ],
    'a tiny answer, per call': [
      async () => {
        for (let at = 0; at < 50; at++) await scan.clean(tiny);
      },
      50,
    ],
    'small arguments, per call': [
      async () => {
        for (let at = 0; at < 50; at++) await scan.foreignSecrets({ text: 'a b c', limit: 5 });
      },
      50,
    ],
  };
  const times = Object.fromEntries(Object.keys(measured).map((name) => [name, []]));
  for (let round = 0; round < rounds + 2; round++) {
    for (const [name, [work, parts]] of Object.entries(measured)) {
      const began = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(began);
      if (round > 1) times[name].push((user + system) / parts);
    }
  }
  // Others use the machine and its caches too: the lower quarter is nearer to what the work itself takes.
  const lower = (list) => list.sort((a, b) => a - b)[list.length >> 2];
  return {
    microseconds: Object.fromEntries(
      Object.entries(times).map(([name, list]) => [name, round1(lower(list))]),
    ),
    longestStepMs: round1(Math.min(...[1, 2, 3, 4, 5].map(() => longestStep(redact, hiding, dense)))),
  };
}

/** Of two megabytes that are done in turns: how long others wait at most. */
function longestStep({ redactSteps }, hiding, text) {
  const steps = redactSteps([text.repeat(20)], hiding, look);
  let worst = 0;
  for (;;) {
    const began = performance.now();
    const step = steps.next();
    worst = Math.max(worst, performance.now() - began);
    if (step.done === true) return worst;
  }
}

function fill(next, between) {
  const parts = [];
  for (let size = 0; size < kilobytes * 1024; ) {
    const it = next();
    parts.push(it);
    size += it.length + between.length;
  }
  return parts.join(between).slice(0, kilobytes * 1024);
}

const round1 = (number) => Math.round(number * 10) / 10;
