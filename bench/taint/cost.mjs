const word = (seed) => `w${((seed * 2654435761) >>> 0).toString(36)}`;

/** Text of about `size` characters, of words that do not repeat. */
function textOf(size, seed) {
  let text = '';
  for (let at = seed; text.length < size; at++) text += `${word(at)}${at % 12 === 0 ? '. ' : ' '}`;
  return text.slice(0, size);
}

/** Other programs on the machine only make rounds slower: the fastest one is the cost. */
function fastest(list) {
  return Math.min(...list);
}

function timed(rounds, action) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint();
    action(round);
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  return fastest(times);
}

/** What feeding and judging cost, in one process. */
export async function costs(core, rounds) {
  const { tools } = core.readToolLabels({
    tools: {
      read: { effects: ['read'] },
      send: {
        effects: ['write', 'send'],
        inputs: { to: 'destination', subject: 'content', body: 'content' },
      },
    },
  });
  let count = 0;
  const call = (tool, input) => ({
    package: 'p',
    tool,
    callId: String(count++),
    labels: tools.get(tool),
    input,
  });
  const resultOf = (size, seed) => ({
    items: Array.from({ length: size }, (_, at) => ({ body: textOf(1024, seed + at * 1000) })),
  });
  const feed = (session, result) => {
    const it = call('read', { query: 'news' });
    session.started(it);
    session.returned(it, result);
  };
  const results = Array.from({ length: rounds }, (_, round) => resultOf(64, round * 1e6));
  const perKb = timed(rounds, (round) => feed(new core.TaintSession(), results[round])) / 64;
  const session = new core.TaintSession({ constants: ['me@home.example'] });
  session.endorseWords('Write to ann@home.example about lunch');
  feed(session, resultOf(512, 7));
  const body = textOf(400, 5e8);
  const ordinary = () =>
    session.judge(call('send', { to: ['ann@home.example'], subject: 'Lunch', body }), 'standard');
  const many = (action) =>
    timed(rounds, () => {
      for (let at = 0; at < 200; at++) action();
    }) / 200;
  const read = () => session.judge(call('read', { query: 'news' }), 'standard');
  const held = () =>
    session.judge(call('send', { to: ['eve@evil.example'], subject: 'Lunch', body }), 'standard');
  const full = new core.TaintSession();
  for (let at = 0; full.index.isComplete && at < 200; at++) feed(full, resultOf(512, at * 1e6));
  return {
    'feeding one KB of new text': { value: perKb, unit: 'µs', target: 20 },
    'judging an ordinary call (allowed, 400 characters, 512 KB fed)': {
      value: many(ordinary),
      unit: 'µs',
      target: 50,
    },
    'judging a held call': { value: many(held), unit: 'µs' },
    'judging a read': { value: many(read), unit: 'µs' },
    'index of 512 KB of text': { value: session.index.bytes / 1048576, unit: 'MiB' },
    'full index': { value: full.index.bytes / 1048576, unit: 'MiB', target: 32 },
  };
}
