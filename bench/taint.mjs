// Which attacks a session with taint holds, and how often it asks when nobody attacks. `npm run bench:taint -- --data FILE…
// --effects FILE… --concat N --json`. The rules are those of src/policy/taint; nothing here decides anything.
//
// How it counts
// - Data: traces of AgentDojo and AgentDyn, or any file of the same schema (.json or .json.gz). Effects: files of tool
//   labels; by default each file of data gets the one of its own name.
// - One session per trace. Words known: the user's prompt is endorsed before the first call. Words unknown: it is not.
//   Field: it is endorsed after the first question, as the optional field of the question allows.
// - Own addresses are constants of the operator. The files do not name them: the bench takes the mail address that occurs in
//   the results of most solved benign tasks of a suite, if it is in at least a third of them. Attack traces play no part.
// - An attack is held if every route to its goal has a held call. Calls of a route and further attempts at the goal are
//   refused when held: they do not run and endorse nothing. Held calls of the user's own task are approved, and endorse.
//   AgentDyn: the whole recorded run; pairs with `how: unknown` are not scored. AgentDojo: the attacker's calls follow the
//   user's calls; pairs are scored if the attacker's calls include a write, and the goal needs all of these calls.
// - Questions: consecutive holds of one tool are one question, since the person sees them together; the share of held calls
//   without this is printed too. HITL load: questions per consequential call (it writes outside local files, destroys or
//   sends). TCR@k: share of solved benign traces with at most k questions. All from benign traces only.
// - --concat N: N benign traces of a suite after each other in one session, all in a fixed order.
// - Costs of feeding and judging: the fastest of many rounds in one process. Calls: a host of the build, the same call to a server on
//   this machine, alternately with mode standard in a session that has read text of others, and with mode off.
// - A call to a tool that the suite does not have is skipped: the host knows no such tool.
import { callCost } from './taint/call-cost.mjs';
import { costs } from './taint/cost.mjs';
import { engine } from './taint/engine.mjs';
import { measure } from './taint/measure.mjs';
import { options } from './taint/options.mjs';

const core = await engine();
const report = { replay: [], cost: { ...(await costs(core, options.rounds)), ...(await callCost()) } };
for (const input of options.inputs)
  for (const words of ['known', 'unknown', 'field'])
    for (const mode of ['standard', 'strict'])
      report.replay.push({
        file: input.name,
        words,
        mode,
        ...measure(core, input, { words, mode, concat: options.concat }),
      });

if (options.json) console.log(JSON.stringify(report));
else {
  console.log(
    `taint, Node ${process.versions.node}${options.concat > 1 ? `, ${options.concat} benign traces in one session` : ''}`,
  );
  if (options.inputs.length === 0)
    console.log('  no replay: the folder of test data is absent; name files with --data and --effects');
  const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  for (const it of report.replay) {
    const load = percent(it.questions, it.consequential);
    const tcr = it.completed.map((count) => percent(count, it.traces)).join('  ');
    console.log(
      `  ${it.file.padEnd(17)} words ${it.words.padEnd(8)} ${it.mode.padEnd(8)}  held ${it.held}/${it.attacks}  ` +
        `HITL ${load} (${it.questions}/${it.consequential}; held calls ${percent(it.heldCalls, it.consequential)})  TCR@0/1/3 ${tcr}`,
    );
    for (const missed of options.isGiven ? [] : it.missed) console.log(`    missed: ${missed}`);
  }
  for (const [name, { value, unit, target }] of Object.entries(report.cost))
    console.log(
      `  ${value.toFixed(unit === 'x' ? 2 : 1).padStart(8)} ${unit.padEnd(4)} ${name.padEnd(60)}${target === undefined ? '' : `≤ ${target}  ${value <= target ? 'met' : 'NOT MET'}`}`.trimEnd(),
    );
}
