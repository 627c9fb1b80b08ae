/**
 * Returns a trigger that runs the work, one run at a time, with a pause after each. All triggers during a run or its
 * pause lead to one more run: untrusted programs decide how often they trigger.
 */
export function coalesce(work: () => Promise<void>, pauseMs: number): () => void {
  let busy = false;
  let again = false;
  const run = async () => {
    busy = true;
    do {
      again = false;
      await work();
      await pause(pauseMs);
    } while (again);
    busy = false;
  };
  return () => {
    if (busy) again = true;
    else void run();
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
