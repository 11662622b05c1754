// When a function may remember what it reads under a version or generation.

/** DynamoDB may show a new version before the rest of its transaction. README.md explains it. */
export const SETTLED_AFTER_MS = 200

/** Call the returned function with a version before the reads: it says whether they may be remembered. */
export function openEra(): (version: number) => boolean {
  let seen: { version: number; sinceMs: number } | undefined
  return version => {
    const atMs = performance.now()
    if (seen?.version !== version) seen = { version, sinceMs: atMs }
    return atMs - seen.sinceMs >= SETTLED_AFTER_MS
  }
}
