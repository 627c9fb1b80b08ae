/**
 * Does something whenever it is wanted, one at a time and with a rest in between; what is wanted meanwhile is done once.
 * Strangers decide how often it is wanted.
 */
export function oneAtATime(work: () => Promise<void>, restMs: number): () => void {
  let busy = false;
  let again = false;
  const run = async () => {
    busy = true;
    do {
      again = false;
      await work();
      await rest(restMs);
    } while (again);
    busy = false;
  };
  return () => {
    if (busy) again = true;
    else void run();
  };
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
