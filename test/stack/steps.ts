// The steps of a run: each has a name and a time, and fails when what it expects does not hold.

/** Prints its name, and how long it took. */
export async function step<Result>(name: string, run: () => Result | Promise<Result>): Promise<Result> {
  console.log(`\n== ${name}`)
  const started = performance.now()
  const result = await run()
  console.log(`   ${Math.round((performance.now() - started) / 1000)} s`)
  return result
}

/** Throws if it does not hold. */
export function hold(what: string, isSo: boolean, found: unknown = ''): void {
  if (!isSo) throw new Error(`This does not hold: ${what}. ${found === '' ? '' : JSON.stringify(found)}`)
  console.log(`   ✓ ${what}`)
}
