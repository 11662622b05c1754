// Ctrl-C: the first one ends after the check that runs, and cleans up; the second one ends at once.

/** The terminal sends a signal to npm, the launcher and this process, and the first two send it on. */
const SAME_MS = 1_000

export type Interruption = {
  isRequested: () => boolean
  /** For each signal. */
  request: () => void
}

type Actions = { clock: () => number; onFirst: () => void; onSecond: () => void }

export function openInterruption({ clock, onFirst, onSecond }: Actions): Interruption {
  let firstMs: number | undefined
  return {
    isRequested: () => firstMs !== undefined,
    request: () => {
      if (firstMs === undefined) {
        firstMs = clock()
        onFirst()
      } else if (clock() - firstMs > SAME_MS) {
        onSecond()
      }
    },
  }
}
