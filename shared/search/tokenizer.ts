// Splits texts into words. Posts and searches use the same rules, so that their words match.
import { codePoints } from '../http/text.ts'
import { caseless, cut } from '../lists/text-order.ts'

/** A search text is not longer, and a sort key has at most 1,024 bytes. */
const MAX_CHARACTERS = 200

/** Removed within words: invisible characters and the tatweel. A zero-width space separates words. */
const INVISIBLE = /\u00ad|\u034f|\u0640|\u200c|\u200d|\u2060|\ufeff/gu
/** The vowel points of Hebrew and Arabic, and the nuktas of Indic letters, which most searches omit. */
const POINTS =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc]/gu
/** Letters that contain such a mark: the forms of alef, and three of Devanagari. */
const POINTED: Record<string, string> = {
  '\u0622': '\u0627',
  '\u0623': '\u0627',
  '\u0625': '\u0627',
  '\u0671': '\u0627',
  '\u0929': '\u0928',
  '\u0931': '\u0930',
  '\u0934': '\u0933',
}
const POINTED_LETTER = new RegExp(`[${Object.keys(POINTED).join('')}]`, 'gu')

// Patterns of scripts take longer to compile than this file takes to load: they are compiled on first use.
/**
 * Words in addition to their parts: numbers with dots, and joined single letters such as R&D, not C/C++. A
 * match begins at the first sign, since fewer characters need a look, and captures what is before it.
 */
function joinedPatterns() {
  return [
    /(?=\.\p{N})(?<=(\p{N}+))(?:\.\p{N}+)+/gu,
    /(?=[&/])(?<=(?<![\p{L}\p{M}\p{N}])(\p{L}))(?:[&/]\p{L})+(?![\p{L}\p{M}\p{N}+#])/gu,
  ]
}

/** Scripts without spaces between words. `scx` also matches the marks that they share with other scripts. */
export const SPACELESS =
  '[[\\p{L}\\p{M}\\p{N}]&&[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]]'
function compilePatterns() {
  return {
    PARTS: new RegExp(`${SPACELESS}+|(?:(?!${SPACELESS}).)+`, 'gv'),
    IS_SPACELESS: new RegExp(`^${SPACELESS}`, 'v'),
  }
}

let compiled: ReturnType<typeof compilePatterns> | undefined
function patterns() {
  compiled ??= compilePatterns()
  return compiled
}

/** Each word once. A text can be one run of a million letters, so no list is spread into arguments. */
export function tokenize(text: string): string[] {
  return [...distinctWords(text)]
}

/** One by one, since the index takes only the first words of a long text. */
function* distinctWords(text: string): Generator<string> {
  const known = new Set<string>()
  const isNew = (word: string) => known.size < known.add(word).size
  const plain = plainText(text)
  // Letters, marks and digits, with each + and # that follows a letter: C++, C#.
  for (const run of plain.match(/[\p{L}\p{M}\p{N}]+(?:(?=[+#])(?<=\p{L}\p{M}*)[+#]+)?/gu) ?? []) {
    for (const whole of wordsInRun(run)) {
      const word = cut(whole, MAX_CHARACTERS)
      if (isNew(word)) yield word
    }
  }
  for (const pattern of joinedPatterns()) {
    for (const [rest, start = ''] of plain.matchAll(pattern)) {
      const word = cut(start + rest, MAX_CHARACTERS)
      if (isNew(word)) yield word
    }
  }
}

/** Folding makes one ligature up to 18 letters, but no text that people write twice as long. */
const LONGEST_SHORT = 1_000

function plainText(text: string): string {
  const most = Math.max(2 * text.length, LONGEST_SHORT)
  const folded = caseless(text.replace(INVISIBLE, '')).slice(0, most)
  return folded.replace(POINTS, '').replace(POINTED_LETTER, letter => POINTED[letter] ?? letter)
}

/** Needs no look at its scripts, which takes longer. */
const PLAIN = /^[a-z0-9]+[+#]*$/
/** Left of a run when a letter of a script without spaces is before them. */
const SIGNS = /^[+#]+$/

/** Between characters of a script without spaces, a single other one counts as one of them, as in 第1回. */
function* wordsInRun(run: string): Generator<string> {
  if (PLAIN.test(run)) return yield run
  const { PARTS, IS_SPACELESS } = patterns()
  const parts = run.match(PARTS) ?? []
  if (parts.length === 1 && !IS_SPACELESS.test(run)) return yield run
  let spaceless: string[] = []
  for (const part of parts) {
    if (SIGNS.test(part)) continue
    // Each letter or digit with its marks.
    const characters = part.match(/.\p{M}*/gu) ?? []
    if (IS_SPACELESS.test(part) || characters.length === 1) {
      for (const character of characters) spaceless.push(character)
    } else {
      yield* pairsOf(spaceless)
      spaceless = []
      yield part
    }
  }
  yield* pairsOf(spaceless)
}

function* pairsOf(characters: string[]): Generator<string> {
  const [only] = characters
  if (only !== undefined && characters.length === 1) yield only
  for (let n = 1; n < characters.length; n++) yield `${characters[n - 1]}${characters[n]}`
}

/** Without single characters: half of all posts contain a word that begins with each of them. */
export function* indexedWords(text: string): Generator<string> {
  for (const word of distinctWords(text)) if (codePoints(word) > 1) yield word
}

export function queryWords(text: string): string[] {
  return [...indexedWords(text)]
}
