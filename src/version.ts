import manifest from '../package.json' with { type: 'json' };

/** Set by the build: a digest of all code that parses manifests. */
declare const TOOLWHARF_BUILD: string | undefined;

/** The version of Toolwharf, from package.json. */
export const version: string = manifest.version;

/** Identifies the build for the parse cache. Undefined if the sources run without a build. */
export const build: string | undefined = typeof TOOLWHARF_BUILD === 'string' ? TOOLWHARF_BUILD : undefined;
