// Programs that take more memory than their limit, each in another way. They stop by themselves at 280 MiB.

export interface MemoryAttack {
  /** Completes "memory in …". */
  readonly name: string;
  /** Python. Prints REACHED if the program could take the memory and keep it for a while. */
  readonly code: string;
  /** Where a control group of version 1 counts it. */
  readonly counted: 'memory' | 'sockets';
}

export const mebibyte = 1024 * 1024;
/** The limit in the tests, and what an attack must hold to succeed. */
export const attackLimit = 128 * mebibyte;
export const attackGoal = 256 * mebibyte;

/** `held()` is called with the bytes that were taken so far, and ends the program at the goal. */
const common = `import ctypes, mmap, os, resource, socket, struct, sys, time
print("BEGAN", flush=True)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
goal = ${attackGoal}
kept = []
def held(taken):
    if taken >= goal:
        time.sleep(1.5)
        print("REACHED", flush=True)
        os._exit(0)
def fill(end, size=65536):
    end.setblocking(False)
    sent = 0
    try:
        while True:
            sent += end.send(bytes(size))
    except OSError:
        return sent
def stopped(why):
    time.sleep(1.5)
    print("STOPPED", why, flush=True)
    os._exit(0)
`;

/** Several processes, because each may have only so many descriptors open. */
const inProcesses = (body: string) => `
reader, writer = os.pipe()
total = 0
for _ in range(24):
    if os.fork() == 0:
        taken = 0
        try:
${body
  .split('\n')
  .map((it) => `            ${it}`)
  .join('\n')}
        except OSError:
            pass
        os.write(writer, struct.pack("q", taken))
        time.sleep(20)
        os._exit(0)
    total += struct.unpack("q", os.read(reader, 8))[0]
    held(total)
stopped(total)
`;

const shared = (open: string) => `
piece = 1 << 20
try:
    area = ${open}
except OSError as error:
    stopped(error)
for at in range(0, len(area), piece):
    for page in range(at, at + piece, 4096):
        area[page] = 1
    # The pages stay in the shared object, but belong to no process.
    area.madvise(mmap.MADV_DONTNEED, at, piece)
    held(at + piece)
`;

export const memoryAttacks: readonly MemoryAttack[] = [
  {
    name: 'buffers of UNIX sockets',
    counted: 'memory',
    code: inProcesses(`for _ in range(100):
    pair = socket.socketpair()
    kept.append(pair)
    taken += fill(pair[0]) + fill(pair[1])
    if taken + total >= goal: break`),
  },
  {
    name: 'buffers of UNIX sockets that were made larger',
    counted: 'memory',
    code: inProcesses(`for _ in range(20):
    pair = socket.socketpair()
    kept.append(pair)
    for end in pair:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        taken += fill(end)
    if taken + total >= goal: break`),
  },
  {
    name: 'datagrams that nobody reads',
    counted: 'memory',
    code: inProcesses(`for _ in range(100):
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    kept.append(pair)
    for end in pair:
        taken += fill(end, 100000)
    if taken + total >= goal: break`),
  },
  {
    name: 'sockets that are only in a message of another socket',
    counted: 'memory',
    code: inProcesses(`out, back = socket.socketpair()
kept.append((out, back))
for _ in range(60):
    pair = socket.socketpair()
    taken += fill(pair[0]) + fill(pair[1])
    out.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("2i", pair[0].fileno(), pair[1].fileno()))])
    pair[0].close(); pair[1].close()
    if taken + total >= goal: break`),
  },
  {
    name: 'unread data of TCP connections',
    counted: 'sockets',
    code: `
server = socket.create_server(("127.0.0.1", 0), backlog=200)
taken = 0
for _ in range(100):
    client = socket.create_connection(server.getsockname())
    peer = server.accept()[0]
    kept.append((client, peer))
    for end in (client, peer):
        quiet = 0
        while quiet < 3:
            sent = fill(end)
            taken += sent
            quiet = 0 if sent else quiet + 1
            if quiet: time.sleep(0.002)
    held(taken)
stopped(taken)
`,
  },
  {
    name: 'page tables',
    counted: 'memory',
    code: `
c = ctypes.CDLL(None, use_errno=True)
c.mmap.restype = ctypes.c_void_p
c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
c.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
span = 2 << 20
count = 70000
area = c.mmap(None, count * span, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)
c.madvise(area, count * span, 15)
for n in range(count):
    # Reading maps the one page of zeros that all processes share: no memory except the table.
    ctypes.c_char.from_address(area + n * span).value
    held((n + 1) * 4096)
`,
  },
  {
    name: 'shared pages that no process maps any more',
    counted: 'memory',
    code: shared('mmap.mmap(-1, 280 << 20)'),
  },
  {
    name: 'shared pages of /dev/zero that no process maps any more',
    counted: 'memory',
    code: shared('mmap.mmap(os.open("/dev/zero", os.O_RDWR), 280 << 20)'),
  },
  {
    name: 'files in memory that are not mapped',
    counted: 'memory',
    code: `
try:
    file = os.memfd_create("held")
except OSError as error:
    stopped(error)
for n in range(280):
    os.write(file, bytes(1 << 20))
    held((n + 1) << 20)
`,
  },
  {
    name: 'files in /dev/shm and /tmp',
    counted: 'memory',
    code: `
taken = 0
folders = ["/dev/shm", "/tmp"]
for folder in folders:
    file = os.open(folder, os.O_TMPFILE | os.O_RDWR)
    kept.append(file)
    try:
        while taken < goal:
            taken += os.write(file, bytes(1 << 20))
    except OSError:
        pass
held(taken)
stopped(taken)
`,
  },
].map((it) => ({ ...it, code: common + it.code }) as MemoryAttack);
