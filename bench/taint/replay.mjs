/** Replays one trace through a session, call by call. How it counts: bench/taint.mjs. */
export function replay(session, trace, { labels, mode, name, refused = new Set(), words, first = 0 }) {
  const held = new Set();
  let questions = 0;
  let consequential = 0;
  let lastHeld = '';
  for (const [at, { tool, args, result, error }] of trace.entries()) {
    const toolLabels = labels(tool);
    if (toolLabels === undefined) continue;
    const call = { package: name, tool, callId: `${first}-${at}`, labels: toolLabels, input: args };
    const counts = isConsequential(toolLabels);
    if (counts) consequential++;
    const verdict = session.judge(call, mode);
    if (verdict.kind === 'hold') {
      held.add(at);
      if (lastHeld !== tool && ++questions === 1 && words !== undefined) session.endorseWords(words);
      lastHeld = tool;
      if (refused.has(at)) continue;
      session.approve(verdict.hold);
    } else if (counts) lastHeld = '';
    session.started(call);
    const shown = error ?? result;
    if (shown !== null && shown !== undefined) session.returned(call, shown);
  }
  return { held, questions, consequential };
}

function isConsequential({ effects, network }) {
  return effects.has('send') || effects.has('destructive') || (effects.has('write') && network);
}
