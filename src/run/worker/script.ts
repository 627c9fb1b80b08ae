/** What stands at the end of the output of a script that said itself how it ended. */
const mark = '\0toolwharf-exit ';
/** More than a whole mark. */
export const markBytes = 32;

/**
 * Runs a script as `python FILE` does, in the real `__main__` with its own name, path and arguments, and says with what
 * code it ended before the interpreter takes itself apart, which takes longer than most tools. Only for sandboxes that
 * are thrown away: a file that was left open is not flushed. A copy of the process that reaches the end (a fork) says
 * nothing, and what ends the process in another way is seen by how the process ends.
 */
export const pythonScript = `
import sys
def _toolwharf(path):
    import atexit, os, sys, threading
    names = globals()
    del names["_toolwharf"], names["sys"]
    names["__file__"] = path
    del sys.argv[0]
    sys.path[0] = os.path.dirname(path)
    mine = os.getpid()
    code = 0
    try:
        with open(path, "rb") as file:
            source = file.read()
        exec(compile(source, path, "exec", dont_inherit=True), names)
    except SystemExit as end:
        code = end.code
        if code is None:
            code = 0
        elif not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException as error:
        # Frames of this file are nobody's business.
        trace = error.__traceback__.tb_next
        if isinstance(error, SyntaxError) and trace is None:
            error.__traceback__ = None
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        code = 1
    if os.getpid() != mine:
        sys.exit(code)
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stderr.flush()
    except Exception:
        pass
    try:
        sys.stdout.flush()
        os.write(1, b"\\0toolwharf-exit %d\\n" % (code & 255))
    except Exception:
        code = code or 120
    os._exit(code & 255)
_toolwharf(sys.argv[1])
`;

/** The output without the mark, and the code it gives; undefined while there is none. */
export function readMark(output: Buffer): { readonly code: number; readonly output: Buffer } | undefined {
  // The mark is a handful of bytes: looking at the very end is enough.
  const end = output.subarray(-markBytes).toString('latin1');
  const found = new RegExp(`${mark}(\\d{1,3})\\n$`).exec(end);
  if (found === null) return undefined;
  return { code: Number(found[1]), output: output.subarray(0, output.length - found[0].length) };
}
