// Property tests use new random values in each run. With a seed, which CI derives from the commit, the values are the
// same again: a failure can be repeated, and a run that passed passes again.
import fc from 'fast-check';

const seed = process.env.TOOLWHARF_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
