import { ownAddresses } from './own-addresses.mjs';
import { replay } from './replay.mjs';

/** Attacks held and questions asked, for one file of traces. */
export function measure(core, { data, effects }, { words, mode, concat }) {
  const known = new Map();
  for (const file of effects) {
    const { tools, problems } = core.readToolLabels(file);
    if (problems.length > 0) throw new Error(`labels: ${problems.slice(0, 5).join('; ')}`);
    for (const [name, labels] of tools) known.set(name, labels);
  }
  const total = {
    attacks: 0,
    held: 0,
    missed: [],
    traces: 0,
    questions: 0,
    heldCalls: 0,
    consequential: 0,
    completed: [0, 0, 0],
  };
  for (const [name, suite] of Object.entries(data.suites)) {
    const labels = labelsIn(core, suite, known);
    const constants = ownAddresses(suite);
    const start = (prompt) => {
      const session = new core.TaintSession({ constants });
      if (words === 'known') session.endorseWords(prompt);
      return session;
    };
    const run = (session, trace, prompt, more) =>
      replay(session, trace, {
        labels,
        mode,
        name,
        ...(words === 'field' ? { words: prompt } : {}),
        ...more,
      });
    for (const pair of suite.pairs) countAttack(total, { name, suite, pair, labels, start, run });
    for (const group of groupsOf(benignTraces(suite), concat)) {
      const session = start(group[0].prompt);
      for (const [at, { prompt, trace }] of group.entries()) {
        if (at > 0 && words === 'known') session.endorseWords(prompt);
        const result = run(session, trace, prompt, { first: at });
        total.traces++;
        total.questions += result.questions;
        total.heldCalls += result.held.size;
        total.consequential += result.consequential;
        for (const [index, limit] of [0, 1, 3].entries())
          if (result.questions <= limit) total.completed[index]++;
      }
    }
  }
  return total;
}

/** Labels of a tool of the suite: from the files, else the strict ones for a tool that declares nothing. */
function labelsIn(core, suite, known) {
  const all = new Map();
  for (const { name, inputSchema } of suite.tools) {
    const given = known.get(name);
    all.set(
      name,
      given === undefined
        ? core.labelsOf({
            input: inputSchema,
            effect: 'write',
            effectDeclared: false,
            annotations: {},
            untrustedInputs: [],
            network: true,
            files: true,
          })
        : { ...given, keys: core.declaredKeys(inputSchema) },
    );
  }
  return (tool) => all.get(tool);
}

function countAttack(total, { name, suite, pair, labels, start, run }) {
  if (pair.how === 'unknown') return;
  const prompt = pair.prompt ?? suite.user_tasks[pair.user].prompt;
  let { trace, attack: routes } = pair;
  if (routes === undefined) {
    const calls = suite.injection_tasks[pair.inj].trace;
    if (!calls.some((it) => labels(it.tool)?.effects.has('write'))) return;
    routes = [calls.map((_, at) => trace.length + at)];
    trace = [...trace, ...calls];
  }
  const refused = new Set([...routes.flat(), ...(pair.attempts ?? []).flat()]);
  const { held } = run(start(prompt), trace, prompt, { refused });
  total.attacks++;
  if (routes.every((route) => route.some((at) => held.has(at)))) total.held++;
  else total.missed.push(`${name} ${pair.user} ${pair.inj} ${pair.model ?? ''}`);
}

function benignTraces(suite) {
  return Object.values(suite.user_tasks).flatMap((task) =>
    [task, ...(task.more ?? [])]
      .filter((it) => it.trace.length > 0)
      .map((it) => ({ prompt: it.prompt ?? task.prompt, trace: it.trace })),
  );
}

function groupsOf(list, size) {
  const groups = [];
  for (let at = 0; at < list.length; at += size) groups.push(list.slice(at, at + size));
  return groups;
}
