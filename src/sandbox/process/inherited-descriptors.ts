import { readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * File descriptors without close-on-exec, which a child would inherit. Excludes 0 to 3, because every child gets its own.
 */
export function inheritableDescriptors(): number[] {
  const names = readdirSync('/proc/self/fd');
  return names.map(Number).filter((descriptor) => descriptor > 3 && isInherited(descriptor));
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'));
    return flags !== null && (Number.parseInt(flags[1] as string, 8) & closeOnExec) === 0;
  } catch {
    // The descriptor of the directory listing itself, already closed.
    return false;
  }
}
