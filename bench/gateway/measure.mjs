// What is measured at one gateway. Each function does a little and is called again every round, gateway after gateway.
import { cpuOf } from './machine.mjs';

export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** One call after the other: each one's time, and the processor time of the gateway over all of them. */
export async function oneByOne({ client, tool, pids }, count, into) {
  const before = cpuOf(pids);
  for (let done = 0; done < count; done++) into.times.push(await timed(() => client.call(tool)));
  into.cpu += cpuOf(pids) - before;
  into.calls += count;
}

/** So many under way at any time. */
export async function atOnce({ client, tool, pids }, width, count, into) {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await client.call(tool);
    }
  };
  const before = cpuOf(pids);
  const ms = await timed(() => Promise.all(Array.from({ length: width }, lane)));
  into.cpu += cpuOf(pids) - before;
  into.calls += count;
  into.rates.push((count * 1000) / ms);
}

export const tally = () => ({ times: [], rates: [], cpu: 0, calls: 0 });
