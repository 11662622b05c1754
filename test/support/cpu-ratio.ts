// Bounds of CPU time as ratios within one run, so that they hold on slow and on busy machines.

/** Other work only adds to a time, so it is enough if one of these tries keeps the bound. */
const TRIES = 5
/** Some kernels count the CPU time of a thread in ticks of 4 ms. */
const TICK_MS = 4

/** Returns its CPU time in milliseconds. */
type Measure = () => number | Promise<number>

/** The CPU time of this thread alone. */
export function cpuMsOf(run: () => unknown): number {
  const start = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

/**
 * Returns a function that says how many times the CPU time of `plain` another work takes. It measures `plain`
 * once, and again in turns with a work that takes more than `most` times as long.
 */
export function comparedTo(plain: Measure) {
  let plainMs: number | undefined
  return async (work: Measure, most: number): Promise<number> => {
    let times = Infinity
    for (let tried = 0; tried < TRIES && times > most; tried++) {
      if (tried > 0 || plainMs === undefined) plainMs = Math.max(TICK_MS, await plain())
      times = Math.min(times, (await work()) / plainMs)
    }
    return times
  }
}
