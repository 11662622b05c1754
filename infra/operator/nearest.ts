// What somebody may have meant: the known names that are nearest to one that is not known.

const MOST_SHOWN = 5

/** How many letters must be put in, taken out or changed. Wagner and Fischer, 1974. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Those with a common beginning first, then those that are at most half different, nearest first. */
export function nearest(given: string, known: readonly string[]): string[] {
  const begun = (name: string) => given !== '' && (name.startsWith(given) || given.startsWith(`${name} `))
  const rank = (name: string) => (begun(name) ? 0 : distance(given, name) / name.length)
  return known
    .map(name => ({ name, rank: rank(name) }))
    .filter(({ rank }) => rank <= 0.5)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST_SHOWN)
    .map(({ name }) => name)
}
