// The words of a text, as the index keeps them and as a search asks for them: folded alike, so that they meet.
import { caseless, cut } from '../lists/text-order.ts'

/** No search asks for more, and a sort key holds 1,024 bytes. */
const MOST_CHARACTERS = 200

/** Within words and not part of them: what nobody sees (a zero-width space separates), what only stretches a word. */
const INVISIBLE = /\u00ad|\u034f|\u0640|\u200c|\u200d|\u2060|\ufeff/gu
/** The points of Hebrew and Arabic, which most texts and every search leave out. */
const POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/gu
// Patterns of whole scripts take longer to compile than a function's own code to load: each is made when a text comes.
function RUN() {
  return /[\p{L}\p{M}\p{N}]+/gu
}

/** Scripts that put no spaces between words; by extension, so that the marks they share belong to them, too. */
const SPACELESS =
  '[[\\p{L}\\p{M}\\p{N}]&&[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]]'
function makePatterns() {
  return {
    PARTS: new RegExp(`${SPACELESS}+|(?:(?!${SPACELESS}).)+`, 'gv'),
    IS_SPACELESS: new RegExp(`^${SPACELESS}`, 'v'),
  }
}

let made: ReturnType<typeof makePatterns> | undefined
function patterns() {
  made ??= makePatterns()
  return made
}

/** A letter or digit with the marks on it. */
function CHARACTER() {
  return /.\p{M}*/gu
}

/** Each word once, in no order that matters. A text may be one run of a million letters: nothing is spread into a call. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>()
  for (const run of caseless(text.replace(INVISIBLE, '')).replace(POINTS, '').match(RUN()) ?? []) {
    for (const word of wordsIn(run)) words.add(cut(word, MOST_CHARACTERS))
  }
  return [...words]
}

/** A lone character between those of a script without spaces is one of them, as the digit in 第1回 is. */
function* wordsIn(run: string): Generator<string> {
  const { PARTS, IS_SPACELESS } = patterns()
  const parts = run.match(PARTS) ?? []
  if (parts.length === 1 && !IS_SPACELESS.test(run)) return yield run
  let joined: string[] = []
  for (const part of parts) {
    const characters = part.match(CHARACTER()) ?? []
    if (IS_SPACELESS.test(part) || characters.length === 1) {
      for (const one of characters) joined.push(one)
    } else {
      yield* neighbours(joined)
      joined = []
      yield part
    }
  }
  yield* neighbours(joined)
}

function* neighbours(characters: string[]): Generator<string> {
  const [only] = characters
  if (only !== undefined && characters.length === 1) yield only
  for (let n = 1; n < characters.length; n++) yield `${characters[n - 1]}${characters[n]}`
}
