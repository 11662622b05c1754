// Suggests known names for one that is misspelled.

const MAX_SUGGESTIONS = 5

/** The number of letters to insert, delete or change (Wagner and Fischer, 1974). */
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

/** Names that start alike come first, then those of which at most half differs, nearest first. */
export function nearest(text: string, names: readonly string[]): string[] {
  const startsAlike = (name: string) => text !== '' && (name.startsWith(text) || text.startsWith(`${name} `))
  const rank = (name: string) => (startsAlike(name) ? 0 : distance(text, name) / name.length)
  return names
    .map(name => ({ name, rank: rank(name) }))
    .filter(({ rank }) => rank <= 0.5)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name)
}
