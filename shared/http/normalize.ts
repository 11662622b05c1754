// Unicode normalisation in linear time: ICU sorts the marks on one letter in quadratic time, so long runs are cut first.

/** UAX #15, section 13 (Stream-Safe Text Format): more marks than this on one letter have no use in any language. */
const MOST_MARKS = 30
/** U+034F COMBINING GRAPHEME JOINER is invisible, and no mark moves across it. */
const JOINER = '\u034f'

/** A character can bring three marks of its own, a mark can stand for two. No shorter run can have too many. */
const SHORTEST_TO_CUT = 14
// Both are compiled when the first text needs them: classes of whole scripts take long to compile.
function makePatterns() {
  return {
    // The half-width voiced sound marks are letters that become marks.
    run: new RegExp(`.?[[\\p{M}\\uff9e\\uff9f]--${JOINER}]{${SHORTEST_TO_CUT},}`, 'gsv'),
    mark: /\p{M}/u,
  }
}

let made: ReturnType<typeof makePatterns> | undefined
function patterns() {
  made ??= makePatterns()
  return made
}

/**
 * The text in a normal form. A text with at most 30 marks in a row comes out as `String.prototype.normalize` makes it;
 * from longer runs on a joiner follows every 30 marks. Normalising twice to NFC or NFD changes nothing more.
 */
export function normalize(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  const isShort = text.length < SHORTEST_TO_CUT
  return (isShort ? text : text.replace(patterns().run, cutRun)).normalize(form)
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
    if (marks > MOST_MARKS) {
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
