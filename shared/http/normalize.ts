// Unicode normalisation in linear time. ICU sorts the marks of a letter in quadratic time, so long runs are
// cut first.

/** UAX #15, section 13 (Stream-Safe Text Format): no language puts more marks than this on one letter. */
const MAX_MARKS = 30
/** U+034F COMBINING GRAPHEME JOINER: invisible, and marks are not reordered across it. */
const JOINER = '\u034f'

/** A character decomposes into up to three marks, a mark into two: a shorter run cannot have too many. */
const SHORTEST_TO_CUT = 14
// Compiled on first use, as classes of whole scripts take long to compile.
function compilePatterns() {
  // The half-width voiced sound marks are letters that normalise to marks.
  const marks = `[[\\p{M}\\uff9e\\uff9f]--${JOINER}]`
  return {
    // Looks for marks alone, which takes a third of the time. Few texts have so many.
    many: new RegExp(`${marks}{${SHORTEST_TO_CUT}}`, 'v'),
    run: new RegExp(`.?${marks}{${SHORTEST_TO_CUT},}`, 'gsv'),
    mark: /\p{M}/u,
  }
}

let compiledPatterns: ReturnType<typeof compilePatterns> | undefined
function patterns() {
  compiledPatterns ??= compilePatterns()
  return compiledPatterns
}

/**
 * Like `String.prototype.normalize`, but inserts a joiner after every 30 marks of a longer run. Normalising a
 * result again to NFC or NFD does not change it.
 */
export function normalize(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  const isCut = text.length >= SHORTEST_TO_CUT && patterns().many.test(text)
  return (isCut ? text.replace(patterns().run, cutRun) : text).normalize(form)
}

function cutRun(run: string): string {
  const marksOf = new Map<string, number>([[JOINER, 0]])
  const parts: string[] = []
  let marks = 0
  let start = 0
  let end = 0
  for (const character of run) {
    const added = marksOf.get(character) ?? marksIn(character)
    marksOf.set(character, added)
    marks = character === JOINER ? 0 : marks + added
    if (marks > MAX_MARKS) {
      parts.push(run.slice(start, end))
      start = end
      marks = added
    }
    end += character.length
  }
  return [...parts, run.slice(start)].join(JOINER)
}

function marksIn(character: string): number {
  const parts = Array.from(character.normalize('NFKD'))
  return parts.filter(part => patterns().mark.test(part)).length
}
