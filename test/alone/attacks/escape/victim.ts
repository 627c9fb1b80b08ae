import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Victim } from './attempt.js';

/** Has one of each resource that an attack could take from a process; removes all of them when it ends. */
const script = `
import ctypes, json, os, signal, socket, sys, threading
folder, number = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
libc.prctl(0x59616D61, ctypes.c_ulong(2**64 - 1), 0, 0, 0)
memory = ctypes.create_string_buffer(b"REACHED")
shared = libc.shmget(number, 4096, 0o1666)
ctypes.memmove(libc.shmat(shared, None, 0), b"REACHED", 8)
queue = libc.msgget(number, 0o1666)
semaphore = libc.semget(number, 1, 0o1666)
posix = f"/dev/shm/toolwharf-victim-{number}"
with open(posix, "w") as file:
    file.write("REACHED")
os.chmod(posix, 0o644)
held = open(os.path.join(folder, "deleted"), "w+")
held.write("REACHED")
held.flush()
os.unlink(held.name)
def listen(address):
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen(8)
    def serve():
        while True:
            client, _ = server.accept()
            client.sendall(b"REACHED\\n")
            client.close()
    threading.Thread(target=serve, daemon=True).start()
abstract = f"toolwharf-victim-{number}"
path = os.path.join(folder, "victim.sock")
listen("\\0" + abstract)
listen(path)
os.chmod(path, 0o777)
def end(*_):
    libc.shmctl(shared, 0, None)
    libc.msgctl(queue, 0, None)
    libc.semctl(semaphore, 0, 0)
    os.unlink(posix)
    os._exit(0)
signal.signal(signal.SIGTERM, end)
print(json.dumps({"pid": os.getpid(), "address": ctypes.addressof(memory), "sharedMemory": number, "queue": number,
  "semaphore": number, "abstract": abstract, "socket": path, "posixMemory": posix}), flush=True)
sys.stdin.read()
end()
`;

/** Starts it as the user of sandboxed processes; that user must be able to write to its folder. */
export async function startVictim(
  folder: string,
  user: { readonly uid?: number; readonly gid?: number },
): Promise<{ readonly victim: Victim; readonly process: ChildProcess }> {
  // A System V key. The PID keeps two test runs apart.
  const number = 0x70000000 + process.pid;
  const child = spawn('/usr/bin/python3', ['-c', script, folder, String(number), 'argument-REACHED'], {
    ...user,
    cwd: folder,
    env: { TOOLWHARF_VICTIM: 'REACHED' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('close', () => reject(new Error('the victim ended early')));
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
  });
  return { victim: JSON.parse(line) as Victim, process: child };
}

/** The folder of the victim's sockets and files. */
export const victimFolder = (folder: string): string => join(folder, 'victim');
