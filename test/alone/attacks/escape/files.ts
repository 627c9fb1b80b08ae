// Attempts to read and write files that are not mounted.
import { join } from 'node:path';
import { type Attempt, type Language, noControl, quoted, without } from './attempt.js';

const read: Record<Language, (path: string) => string> = {
  python: (path) => `print(open(${quoted(path)}).read())`,
  node: (path) => `console.log(require("fs").readFileSync(${quoted(path)}, "utf8"))`,
  shell: (path) => `cat ${quoted(path)}`,
};

const all: readonly Language[] = ['python', 'node', 'shell'];
const each = (languages: readonly Language[], make: (language: Language) => Attempt): Attempt[] =>
  languages.map(make);

const readAttempts: readonly Attempt[] = [
  ...each(all, (language) => ({
    name: 'read a private key of the same user',
    language,
    code: ({ key }) => read[language](key),
  })),
  ...each(all, (language) => ({
    name: 'read a file that every user may read',
    language,
    code: ({ secret }) => read[language](secret),
  })),
  ...each(['python', 'shell'], (language) => ({
    name: "read the host's state",
    language,
    code: ({ state }) => read[language](join(state, 'toolwharf.db')),
  })),
  ...each(['python', 'node'], (language) => ({
    name: 'read another package beside its own',
    language,
    code: ({ packages }) => read[language](join(packages, 'mine', '..', 'other', 'main.py')),
    mounts: ({ packages }) => [
      { source: join(packages, 'mine'), target: join(packages, 'mine'), writable: false },
    ],
  })),
  ...each(['python', 'shell'], (language) => ({
    name: 'leave a mounted folder with ..',
    language,
    code: (_, root) => read[language](`${root}/../beside.txt`),
    workspace: { writable: true },
  })),
  ...each(all, (language) => ({
    name: 'follow a link out of a mounted folder',
    language,
    code: (_, root) => read[language](join(root, 'link')),
    workspace: { writable: false },
  })),
  {
    name: 'create a link out of a mounted folder and follow it',
    language: 'node',
    code: ({ secret }, root) =>
      `const fs = require("fs");\nfs.symlinkSync(${quoted(secret)}, ${quoted(join(root, 'made'))});\n${read.node(join(root, 'made'))}`,
    workspace: { writable: true },
  },
  {
    name: 'create a hard link to a file outside',
    language: 'python',
    code: ({ key }, root) =>
      `import os\nos.link(${quoted(key)}, ${quoted(join(root, 'made'))})\n${read.python(join(root, 'made'))}`,
    workspace: { writable: true },
  },
  {
    name: 'read the list of users of the machine',
    language: 'shell',
    code: () => 'grep -q ^root: /etc/passwd && echo REACHED',
  },
  {
    name: 'read the passwords of the machine',
    language: 'python',
    code: () => 'print("REACHED" if open("/etc/shadow").read() else "")',
    control: noControl('only root may read /etc/shadow'),
  },
  ...each(['python', 'shell'], (language) => ({
    name: 'list /sys',
    language,
    code: () =>
      language === 'shell'
        ? '[ -n "$(ls /sys/class)" ] && echo REACHED'
        : 'import os\nprint("REACHED" if os.listdir("/sys/kernel") else "")',
  })),
  {
    name: 'list the control groups',
    language: 'node',
    code: () => 'if (require("fs").readdirSync("/sys/fs/cgroup").length > 0) console.log("REACHED")',
  },
];

const notHidden = without('hidden key material');
const hidden = ['.ssh', 'home/.ssh', '.netrc'];

const keyMaterialAttempts: readonly Attempt[] = [
  ...each(all, (language) => ({
    name: 'read key material inside a mounted folder',
    language,
    code: (_, root) => read[language](join(root, '.ssh/id')),
    control: notHidden,
    workspace: { writable: false, hidden },
  })),
  {
    name: 'read a single hidden file',
    language: 'node',
    code: (_, root) => read.node(join(root, '.netrc')),
    control: notHidden,
    workspace: { writable: true, hidden },
  },
  {
    name: 'read key material through a link beside it',
    language: 'python',
    code: (_, root) => read.python(join(root, 'keys/id')),
    control: notHidden,
    workspace: { writable: false, hidden },
  },
  {
    name: 'read key material that was hidden through a link',
    language: 'shell',
    code: (_, root) => read.shell(join(root, '.ssh/id')),
    control: notHidden,
    workspace: { writable: false, hidden: ['keys'] },
  },
  {
    name: 'read key material through a second mount of its folder',
    language: 'shell',
    code: () => read.shell('/view/.ssh/id'),
    control: notHidden,
    workspace: {
      writable: true,
      hidden,
      also: (root) => ({ source: root, target: '/view', writable: false }),
    },
  },
  {
    name: 'create a hard link to key material',
    language: 'python',
    code: (_, root) =>
      `import os\nos.link(${quoted(join(root, '.ssh/id'))}, ${quoted(join(root, 'made'))})\n${read.python(join(root, 'made'))}`,
    control: notHidden,
    workspace: { writable: true, hidden },
  },
  ...each(['python', 'shell'], (language) => ({
    name: 'move key material to a path that is not hidden',
    language,
    code: (_, root) =>
      language === 'python'
        ? `import os\nos.rename(${quoted(join(root, '.ssh'))}, ${quoted(join(root, 'moved'))})\nprint("REACHED")`
        : `mv ${quoted(join(root, '.netrc'))} ${quoted(join(root, 'moved'))} && echo REACHED`,
    control: notHidden,
    workspace: { writable: true, hidden },
  })),
  {
    name: 'move the folder that holds key material',
    language: 'node',
    code: (_, root) =>
      `require("fs").renameSync(${quoted(join(root, 'home'))}, ${quoted(join(root, 'away'))});\nconsole.log("REACHED")`,
    control: notHidden,
    workspace: { writable: true, hidden },
  },
  {
    name: 'remove key material',
    language: 'shell',
    code: (_, root) => `rm -rf ${quoted(join(root, '.ssh'))} && echo REACHED`,
    control: notHidden,
    workspace: { writable: true, hidden },
  },
];

const write: Record<Language, (path: string) => string> = {
  python: (path) => `open(${quoted(path)}, "w").write("x")\nprint("REACHED")`,
  node: (path) => `require("fs").writeFileSync(${quoted(path)}, "x");\nconsole.log("REACHED")`,
  shell: (path) => `echo x > ${quoted(path)} && echo REACHED`,
};

const writeAttempts: readonly Attempt[] = [
  ...each(all, (language) => ({
    name: 'write to a folder that is mounted read-only',
    language,
    code: (_, root) => write[language](join(root, `by-${language}`)),
    workspace: { writable: false },
  })),
  {
    name: 'change the mode of a file that is mounted read-only',
    language: 'shell',
    code: (_, root) => `chmod 600 ${quoted(join(root, 'file.txt'))} && echo REACHED`,
    workspace: { writable: false },
  },
  {
    name: 'write to a folder of the machine that every user may write to',
    language: 'python',
    code: ({ open }) => write.python(join(open, 'written')),
  },
  ...each(['python', 'shell'], (language) => ({
    name: 'write to the root folder',
    language,
    code: () => write[language]('/written'),
    control: without('read-only root'),
  })),
  {
    name: 'replace the list of users inside',
    language: 'shell',
    code: () => 'chmod 644 /etc/passwd && echo "root::0:0::/:/bin/sh" > /etc/passwd && echo REACHED',
    control: without('read-only root'),
  },
  {
    name: 'add a device',
    language: 'node',
    code: () => write.node('/dev/written'),
    control: without('read-only /dev'),
  },
  {
    name: 'write to /usr',
    language: 'shell',
    code: () => write.shell('/usr/written'),
    control: noControl('only root may write to /usr'),
  },
];

export const fileAttempts: readonly Attempt[] = [...readAttempts, ...keyMaterialAttempts, ...writeAttempts];
