/** A relative path with forward slashes that stays below the bundle's root. */
export function isInside(path: string): boolean {
  if (path === '' || /^[/~]|^[A-Za-z]:|[\\\u0000-\u001f\u007f]/.test(path)) return false;
  return !path.split('/').includes('..') && cleanPath(path) !== '';
}

/** Without `.` segments and doubled slashes. */
export function cleanPath(path: string): string {
  return path
    .split('/')
    .filter((it) => it !== '' && it !== '.')
    .join('/');
}

/** The interpreter that a bare command stands for. */
export function startsCommand(command: string): 'node' | 'python' | undefined {
  if (command === 'node' || command === 'nodejs') return 'node';
  return /^python(?:3(?:\.\d{1,2})?)?$/.test(command) ? 'python' : undefined;
}
