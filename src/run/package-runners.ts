import { HostError } from '../model/host-error.js';

/** Commands that download and run a package; for those with other uses, the subcommands that do it. */
const packageRunners: Readonly<Record<string, readonly string[] | 'always'>> = {
  npx: 'always',
  uvx: 'always',
  pnpx: 'always',
  bunx: 'always',
  pipx: 'always',
  npm: ['exec', 'x', 'init', 'create'],
  pnpm: ['dlx', 'create'],
  yarn: ['dlx', 'create'],
  bun: ['x', 'create'],
  uv: ['tool', 'run'],
};

/** Rejects a command that downloads code at call time: only code that the operator agreed to may run. */
export function assertNoPackageRunner([binary = '', ...rest]: readonly string[], name: string): void {
  const base = binary.split('/').at(-1) ?? '';
  const args = Object.hasOwn(packageRunners, base) ? packageRunners[base] : undefined;
  if (args === undefined || (args !== 'always' && !rest.some((it) => args.includes(it)))) return;
  throw new HostError(
    'runtime_missing',
    `${name} is started with ${base}, which downloads a program and runs it; downloads are not allowed during a call`,
    {
      hint: 'put the server into the package, or declare an exact version to install, and start it by its own command',
    },
  );
}
