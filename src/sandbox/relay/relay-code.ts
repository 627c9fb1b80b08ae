/**
 * Arguments: path of the socket, port, command. Imports only C modules: the rest of the standard library would double the
 * start time. The relay is a grandchild process, so that the command has no unexpected child.
 */
export const pythonRelay = String.raw`
import sys, os, _signal, _socket, select
path, port, argv = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
server = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
server.bind(('127.0.0.1', port))
server.listen(128)
command = os.getpid()
child = os.fork()
if child:
    os.waitpid(child, 0)
    server.close()
    # Python ignores these signals, and the command would inherit that; Python may also have added a locale variable.
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    _signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)
    with open('/proc/self/environ', 'rb') as file:
        given = dict(it.split(b'=', 1) for it in file.read().split(b'\0') if b'=' in it)
    try:
        os.execve(argv[0], argv, given)
    except OSError as error:
        os.write(2, ('cannot start %s: %s\n' % (argv[0], error.strerror)).encode())
        os._exit(127 if error.errno == 2 else 126)
try:
    watch = os.pidfd_open(command)
except (AttributeError, OSError):
    watch = -1
os.setsid()
if os.fork():
    os._exit(0)
null = os.open('/dev/null', os.O_RDWR)
for number in (0, 1, 2):
    os.dup2(null, number)
os.chdir('/')
poll = select.epoll()
IN, OUT, GONE = select.EPOLLIN, select.EPOLLOUT, select.EPOLLERR | select.EPOLLHUP
ends = {}
limit, size = 64, 131072

class End:
    __slots__ = ('socket', 'number', 'peer', 'pending', 'ended', 'shut', 'mask')
    def __init__(self, socket):
        self.socket, self.number, self.peer = socket, socket.fileno(), None
        self.pending, self.ended, self.shut, self.mask = b'', False, False, 0

def join(client, proxy):
    a, b = End(client), End(proxy)
    a.peer, b.peer = b, a
    for end in (a, b):
        end.socket.setblocking(False)
        ends[end.number] = end
        end.mask = IN
        poll.register(end.number, IN)

def drop(end):
    for it in (end, end.peer):
        if ends.pop(it.number, None) is not None:
            it.socket.close()

def settle(end):
    # Reads only after the other side took the previous data, so that no data accumulates here.
    mask = 0
    if not end.ended and not end.peer.pending:
        mask |= IN
    if end.pending:
        mask |= OUT
    if mask != end.mask:
        # With an empty mask epoll would still report hang-ups in a busy loop.
        if end.mask == 0:
            poll.register(end.number, mask)
        elif mask == 0:
            poll.unregister(end.number)
        else:
            poll.modify(end.number, mask)
        end.mask = mask

def flush(end):
    while end.pending:
        try:
            sent = end.socket.send(end.pending)
        except (BlockingIOError, InterruptedError):
            return
        end.pending = end.pending[sent:] if sent < len(end.pending) else b''
    if end.peer.ended and not end.shut:
        end.shut = True
        try:
            end.socket.shutdown(_socket.SHUT_WR)
        except OSError:
            pass

def take(end):
    try:
        data = end.socket.recv(size)
    except (BlockingIOError, InterruptedError):
        return
    if data:
        end.peer.pending = data
    else:
        end.ended = True
    flush(end.peer)

def accept():
    try:
        number, _ = server._accept()
    except OSError:
        return
    client = _socket.socket(fileno=number)
    proxy = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        proxy.connect(path)
        client.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        join(client, proxy)
    except OSError:
        client.close()
        proxy.close()

server.setblocking(False)
listening = False
if watch >= 0:
    poll.register(watch, IN)
while True:
    room = len(ends) < 2 * limit
    if room != listening:
        poll.register(server.fileno(), IN) if room else poll.unregister(server.fileno())
        listening = room
    for number, event in poll.poll():
        if number == watch:
            os._exit(0)
        if number == server.fileno():
            accept()
            continue
        end = ends.get(number)
        if end is None:
            continue
        try:
            if event & OUT:
                flush(end)
            if event & (IN | GONE) and not end.ended and not end.peer.pending:
                take(end)
            elif event & select.EPOLLERR:
                raise OSError
            if end.ended and end.peer.ended and not end.pending and not end.peer.pending:
                drop(end)
            else:
                settle(end)
                settle(end.peer)
        except OSError:
            drop(end)
`;

/** The same for machines without Python. Node cannot exec, so it stays the parent and forwards signals and the exit status. */
export const nodeRelay = String.raw`
const net = require('net');
const [path, port, ...argv] = process.argv.slice(1);
const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const proxy = net.connect({ path, allowHalfOpen: true });
  for (const [from, to] of [[client, proxy], [proxy, client]]) {
    from.on('error', () => to.destroy());
    from.on('close', (failed) => failed && to.destroy());
    from.pipe(to);
  }
});
server.listen({ host: '127.0.0.1', port, backlog: 128 }, () => {
  const child = require('child_process').spawn(argv[0], argv.slice(1), { stdio: 'inherit' });
  const passed = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  for (const signal of passed) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write('cannot start ' + argv[0] + ': ' + error.code + '\n');
    process.exit(error.code === 'ENOENT' ? 127 : 126);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
});
`;
