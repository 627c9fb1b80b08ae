/** Whether this is a relative path with forward slashes that stays inside the bundle. */
export function isBundlePath(path: string): boolean {
  if (path === '' || /^[/~]|^[A-Za-z]:|[\\\u0000-\u001f\u007f]/.test(path)) return false;
  return !path.split('/').includes('..') && normalizePath(path) !== '';
}

/** Removes `.` segments and doubled slashes. */
export function normalizePath(path: string): string {
  return path
    .split('/')
    .filter((it) => it !== '' && it !== '.')
    .join('/');
}

/** The language of an interpreter command without a path; undefined for any other command. */
export function interpreterLanguage(command: string): 'node' | 'python' | undefined {
  if (command === 'node' || command === 'nodejs') return 'node';
  return /^python(?:3(?:\.\d{1,2})?)?$/.test(command) ? 'python' : undefined;
}
