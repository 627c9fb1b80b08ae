// Checks that the programs which the tests need are on this machine. As root with apt-get it installs them.
import { aptCommand, installPackages, mayInstall, missingPrograms } from './system-programs.mjs';

const use = process.getuid?.() === 0 ? 'root-tests' : 'tests';

if (missingPrograms(use).length > 0 && mayInstall()) {
  console.log(
    `installing ${missingPrograms(use)
      .map((it) => it.package)
      .join(', ')}`,
  );
  installPackages(missingPrograms(use));
}
const left = missingPrograms(use);
if (left.length > 0) {
  console.error(`these programs are missing: ${left.map((it) => it.paths[0]).join(', ')}`);
  console.error(`install them: ${aptCommand(left)}`);
  process.exit(1);
}
