import manifest from '../package.json' with { type: 'json' };

/** Put in by the build: stands for all code that reads manifests. */
declare const TOOLWHARF_BUILD: string | undefined;

export const version: string = manifest.version;

/** Undefined where the sources run as they are. */
export const build: string | undefined = typeof TOOLWHARF_BUILD === 'string' ? TOOLWHARF_BUILD : undefined;
