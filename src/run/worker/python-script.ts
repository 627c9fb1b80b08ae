/** Printed at the end of the output, followed by the exit code. */
const exitMarker = '\0toolwharf-exit ';
/** At least the length of a whole marker. */
export const exitMarkerBytes = 32;

/**
 * Runs a script like `python FILE` does, in the real `__main__` with its own name, path and arguments. It prints the exit
 * code before the interpreter shuts down, because the shutdown takes longer than most tools. Only for sandboxes that are
 * discarded afterwards: open files are not flushed. A forked child prints no marker. If the process exits in another
 * way, its real exit status counts.
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
        # Hide the stack frame of this launcher.
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

/** The output without the marker, and the exit code; undefined if there is no marker. */
export function readExitMarker(
  output: Buffer,
): { readonly code: number; readonly output: Buffer } | undefined {
  // The marker is short, so the last bytes are enough.
  const end = output.subarray(-exitMarkerBytes).toString('latin1');
  const found = new RegExp(`${exitMarker}(\\d{1,3})\\n$`).exec(end);
  if (found === null) return undefined;
  return { code: Number(found[1]), output: output.subarray(0, output.length - found[0].length) };
}
