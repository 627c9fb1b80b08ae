// Loaded into a process before its program: ends it as `kill -9` does, just before one call of a function of the file system.
// KILLED_AT is "rename:3" for the third call.
const promises = require('node:fs/promises');

const [name, number] = (process.env.KILLED_AT ?? '').split(':');
const original = promises[name];
let calls = 0;
if (original !== undefined)
  promises[name] = (...args) => {
    calls += 1;
    if (calls === Number(number)) process.kill(process.pid, 'SIGKILL');
    return original(...args);
  };
