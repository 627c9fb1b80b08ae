import { parser } from '@lezer/python';
import { describe, expect, test } from 'vitest';
import { importSideEffects } from './import-side-effects.js';

const effects = (text: string) => importSideEffects(parser.parse(text).topNode, text).map((it) => it.what);

describe('code without side effects on import', () => {
  test.each([
    '"""Docs."""\n',
    'from __future__ import annotations\n',
    'import os, sys as s\n',
    'X = 1\nY: int = 2\nZ = [1, *range(3)]\n',
    'A = B = (1, 2)\n',
    'X += 1\n',
    'D = {}\nD["a"] = 1\nD.b = 2\n',
    'PATTERN = re.compile("x")\n',
    'WORDS = "a b".split()\n',
    'UP = WORDS.copy()\n',
    'F = lambda x: open(x)\n',
    'def f(a=(), *, b=None) -> list[int]:\n    open(a)\n',
    'async def f():\n    await g()\n',
    '@functools.lru_cache(maxsize=4)\ndef f(): return g()\n',
    '@f.register\ndef g(x): pass\ndef f(): pass\n',
    'class A(Exception):\n    x = 1\n    def f(self): return open("x")\n    @property\n    def g(self): pass\n    @g.setter\n    def g(self, v): pass\n',
    '@dataclass\nclass A:\n    x: int = field(default=1)\nDEFAULT = A()\n',
    'class E(Enum):\n    A = auto()\n',
    'if TYPE_CHECKING:\n    import x\n',
    'if sys.version_info >= (3, 11):\n    X = 1\nelse:\n    X = 2\n',
    'try:\n    import a\nexcept ImportError:\n    a = None\n',
    'if __name__ == "__main__":\n    main()\n',
    "if ('__main__' == __name__):\n    main()\n",
    'type X = int\n',
    'pass\n...\n',
    'T = TypeVar("T")\n',
    'HERE = Path(__file__).resolve()\n',
    'LOG = logging.getLogger(__name__)\n',
  ])('%j', (text) => {
    expect(effects(text)).toEqual([]);
  });
});

describe('code with side effects on import', () => {
  test.each([
    ['main()\n', 'the call main()'],
    ['x = main()\n', 'the call main()'],
    ['x = [main() for _ in y]\n', 'the call main()'],
    ['x = str(open("x"))\n', 'the call open()'],
    ['def f(x=open("x")): pass\n', 'the call open()'],
    ['class A(make()): pass\n', 'the call make()'],
    ['class A:\n    x = open("x")\n', 'the call open()'],
    ['class A:\n    def __init__(self): pass\nX = A()\n', 'the call A()'],
    ['class A(Base): pass\nX = A()\n', 'the call A()'],
    ['@app.route("/")\ndef f(): pass\n', 'the decorator @app.route'],
    ['import atexit\n@atexit.register\ndef f(): pass\n', 'the decorator @atexit.register'],
    ['import os\nos.environ["A"] = "1"\n', 'the assignment to os.environ["A"]'],
    ['import sys\nsys.stdout = None\n', 'the assignment to sys.stdout'],
    ['if x():\n    pass\n', 'the call x()'],
    ['if x:\n    y()\n', 'the call y()'],
    ['try:\n    y()\nfinally:\n    pass\n', 'the call y()'],
    ['for x in y: pass\n', 'this loop'],
    ['while True: pass\n', 'this loop'],
    ['with x: pass\n', 'this "with" block'],
    ['del x\n', 'this "del"'],
    ['raise x\n', 'this "raise"'],
    ['assert x\n', 'this "assert"'],
    ['await x\n', 'this expression'],
    ['x = 1; main()\n', 'the call main()'],
    ['if __name__ == "main":\n    main()\n', 'the call main()'],
    ['__import__("os").system("x")\n', 'the call __import__("os").system()'],
  ])('%j', (text, what) => {
    expect(effects(text)).toContain(what);
  });
});
