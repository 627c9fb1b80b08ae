// Python's sockets, http.client and asyncio ignore proxy variables. This file is loaded when Python starts, and makes
// them open each connection as a tunnel through the proxy, so the same rules apply as for every other client.

/**
 * Names get an address of 198.18.0.0/15, which nobody uses, and a connection to it becomes a tunnel to the name. A
 * connection to loopback is made directly; if nobody listens there, the proxy is asked, which may have a grant for it.
 */
const tunnels = String.raw`
import _socket, errno, socket
Base = _socket.socket
PROXY = 3128
names, addresses = {}, {}
original_getaddrinfo = socket.getaddrinfo

def family_of(host):
    for family in (_socket.AF_INET, _socket.AF_INET6):
        try:
            _socket.inet_pton(family, host.split('%', 1)[0])
            return family
        except OSError:
            pass
    return None

def text_of(host):
    return bytes(host).decode('ascii') if isinstance(host, (bytes, bytearray)) else host

def is_local(host):
    return host in ('', 'localhost', 'sandbox', '::1', '0.0.0.0', '::') or host.startswith(('127.', '::ffff:127.'))

def address_of(name):
    name = name.rstrip('.').lower()
    try:
        name.encode('ascii')
    except UnicodeEncodeError:
        name = name.encode('idna').decode('ascii')
    if name not in names:
        number = len(names) + 1
        if number > 0x1ffff:
            raise socket.gaierror(socket.EAI_MEMORY, 'too many host names')
        names[name] = '198.%d.%d.%d' % (18 + (number >> 16), (number >> 8) & 255, number & 255)
        addresses[names[name]] = name
    return names[name]

def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    name = None if host is None else text_of(host)
    if name is None or is_local(name) or family_of(name) is not None or flags & socket.AI_NUMERICHOST:
        return original_getaddrinfo(host, port, family, type, proto, flags)
    if family == socket.AF_INET6:
        raise socket.gaierror(socket.EAI_NONAME, 'Name or service not known')
    return original_getaddrinfo(address_of(name), port, socket.AF_INET, type, proto, flags)

def gethostbyname(host):
    name = text_of(host)
    return _socket.gethostbyname(host) if is_local(name) or family_of(name) is not None else address_of(name)

def goal_of(sock, address):
    if sock.family not in (_socket.AF_INET, _socket.AF_INET6) or sock.type & 15 != _socket.SOCK_STREAM:
        return None
    if not isinstance(address, tuple) or len(address) < 2 or not isinstance(address[1], int):
        return None
    host = address[0]
    if not isinstance(host, (str, bytes, bytearray)):
        return None
    host = text_of(host)
    return addresses.get(host[7:] if host.startswith('::ffff:') else host, host), address[1]

def proxy_of(sock):
    return ('127.0.0.1' if sock.family == _socket.AF_INET else '::ffff:127.0.0.1', PROXY)

def request_for(goal):
    host, port = goal
    host = host.split('%', 1)[0]
    if ':' not in host:
        try:
            host.encode('ascii')
        except UnicodeEncodeError:
            host = host.encode('idna').decode('ascii')
    target = ('[%s]:%d' if ':' in host else '%s:%d') % (host, port)
    return ('CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n' % (target, target)).encode('ascii')

def check(head):
    status, _, reason = head.split(b'\r\n', 1)[0].decode('utf-8', 'replace').partition(' ')[2].partition(' ')
    if status != '200':
        code = errno.EACCES if status == '403' else errno.EHOSTUNREACH
        raise OSError(code, reason or 'the proxy denied the connection')

def tunnel(sock, goal):
    timeout = Base.gettimeout(sock)
    if timeout == 0:
        Base.settimeout(sock, 30)
    try:
        # After a refused attempt with a timeout, Linux reports the first of the next attempts as aborted.
        try:
            Base.connect(sock, proxy_of(sock))
        except ConnectionAbortedError:
            Base.connect(sock, proxy_of(sock))
        Base.sendall(sock, request_for(goal))
        head = b''
        while not head.endswith(b'\r\n\r\n'):
            part = Base.recv(sock, 1)
            if not part or len(head) > 65536:
                raise ConnectionResetError(errno.ECONNRESET, 'the proxy closed the connection')
            head += part
        check(head)
    finally:
        if timeout == 0:
            Base.settimeout(sock, 0)

def connect(self, address):
    goal = goal_of(self, address)
    if goal is None:
        return Base.connect(self, address)
    if not is_local(goal[0]):
        return tunnel(self, goal)
    try:
        return Base.connect(self, address)
    except ConnectionRefusedError:
        if goal[1] == PROXY:
            raise
        try:
            return tunnel(self, goal)
        except OSError:
            pass
        raise

def connect_ex(self, address):
    try:
        connect(self, address)
    except BlockingIOError as error:
        return error.errno
    except TimeoutError:
        return errno.EAGAIN
    except OSError as error:
        return error.errno or errno.EHOSTUNREACH
    return 0

socket.getaddrinfo, socket.gethostbyname = getaddrinfo, gethostbyname
socket.socket.connect, socket.socket.connect_ex = connect, connect_ex

async def tunnel_of(loop, original, sock, goal):
    try:
        await original(loop, sock, proxy_of(sock))
    except ConnectionAbortedError:
        await original(loop, sock, proxy_of(sock))
    await loop.sock_sendall(sock, request_for(goal))
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        part = await loop.sock_recv(sock, 1)
        if not part or len(head) > 65536:
            raise ConnectionResetError(errno.ECONNRESET, 'the proxy closed the connection')
        head += part
    check(head)

def change_asyncio(module):
    original = module.BaseSelectorEventLoop.sock_connect
    async def sock_connect(self, sock, address):
        goal = goal_of(sock, address)
        if goal is None:
            return await original(self, sock, address)
        if not is_local(goal[0]):
            return await tunnel_of(self, original, sock, goal)
        try:
            return await original(self, sock, address)
        except ConnectionRefusedError:
            if goal[1] == PROXY:
                raise
            try:
                return await tunnel_of(self, original, sock, goal)
            except OSError:
                pass
            raise
    module.BaseSelectorEventLoop.sock_connect = sock_connect
`;

/** Content of the file. It loads nothing itself: it waits until the program imports `socket` or `asyncio`. */
export const pythonPreload = `
import sys

def _toolwharf():
    import _frozen_importlib as bootstrap, _frozen_importlib_external as external
    source = SOURCE
    names = {'__name__': '_toolwharf_proxy', '__builtins__': __builtins__}
    def socket_loaded(module):
        sys.modules['socket'] = module
        exec(compile(source, '<toolwharf proxy>', 'exec'), names)
    waiting = {'socket': socket_loaded, 'asyncio.selector_events': lambda module: names['change_asyncio'](module)}
    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            change = waiting.pop(name, None)
            spec = None if change is None else bootstrap._find_spec(name, path)
            if spec is None or spec.loader is None:
                return spec
            execute = spec.loader.exec_module
            def exec_module(module):
                execute(module)
                change(module)
            spec.loader.exec_module = exec_module
            return spec
    sys.meta_path.insert(0, Finder)
    own = __file__.rpartition('/')[0]
    sys.path[:] = [it for it in sys.path if it != own]
    # A file of the same name that Python would have loaded otherwise.
    other = external.PathFinder.find_spec('sitecustomize', sys.path)
    if other is not None and other.loader is not None:
        module = sys.modules['sitecustomize'] = bootstrap.module_from_spec(other)
        other.loader.exec_module(module)

_toolwharf()
`.replace('SOURCE', () => `r'''${tunnels}'''`);

/** Folder of the file inside a sandbox. The first `sitecustomize` in PYTHONPATH is loaded when Python starts. */
export const pythonPreloadFolder = '/run/toolwharf/python';
