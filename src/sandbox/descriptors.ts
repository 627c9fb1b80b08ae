import { readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Descriptors that a child would inherit from this process, which has them from its parent. The first four
 * are left out: every child gets its own.
 */
export function leakyDescriptors(): number[] {
  const names = readdirSync('/proc/self/fd');
  return names.map(Number).filter((descriptor) => descriptor > 3 && isInherited(descriptor));
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'));
    return flags !== null && (Number.parseInt(flags[1] as string, 8) & closeOnExec) === 0;
  } catch {
    // It was the listing's own descriptor, closed by now.
    return false;
  }
}
