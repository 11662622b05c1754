// Runs the command in the process of a test, and returns its exit code and all it prints.
import { main, type Surroundings } from './main.ts'

/** `onLine`: called with each line, and with what Ctrl-C does. */
type Options = { onLine?: (line: string, interrupt: () => void) => void }

export async function runMain(args: string[], env: Surroundings['env'] = {}, { onLine }: Options = {}) {
  const lines: string[] = []
  let interrupt: () => void = () => {}
  const print = (line: string) => {
    lines.push(line)
    onLine?.(line, interrupt)
  }
  const onInterrupt = (what: () => void) => {
    interrupt = what
  }
  const code = await main(args, { env, out: print, err: print, onInterrupt })
  return { code, text: lines.join('\n') }
}
