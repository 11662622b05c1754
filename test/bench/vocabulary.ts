// A generated language of 30,000 words with the frequencies of a real one.
import { type Random, randomOf } from './random.ts'

const WORDS = 30_000
/** The word of rank r has the frequency 1 / (r + 2.7): Mandelbrot's form of Zipf's law. */
const OFFSET = 2.7
/** Without q, x and y, which planted words have. */
const CONSONANTS = 'b c d f g h k l m n p r s t v w tr st'.split(' ')
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ou']
const MAX_SYLLABLES = 5

export type Vocabulary = {
  /** The most frequent first. */
  words: string[]
  pick(random: Random): string
}

export function generateVocabulary(seed: number): Vocabulary {
  const random = randomOf(seed, 0)
  const distinct = new Set<string>()
  while (distinct.size < WORDS) distinct.add(wordOf(random, distinct.size))
  const words = [...distinct]
  const upTo = new Float64Array(WORDS)
  let sum = 0
  for (const rank of upTo.keys()) upTo[rank] = sum += 1 / (rank + OFFSET)
  return { words, pick: random => words[rankAt(upTo, random.next() * sum)] ?? '' }
}

/** Frequent words are short. */
function wordOf(random: Random, rank: number): string {
  const least = rank < 100 ? 1 : rank < 3_000 ? 2 : 3
  const syllables = Math.min(MAX_SYLLABLES, least + random.below(2))
  return Array.from({ length: syllables }, () => oneOf(CONSONANTS, random) + oneOf(VOWELS, random)).join('')
}

function oneOf(texts: string[], random: Random): string {
  return texts[random.below(texts.length)] ?? ''
}

function rankAt(upTo: Float64Array, target: number): number {
  let low = 0
  let high = upTo.length - 1
  while (low < high) {
    const node = (low + high) >> 1
    if ((upTo[node] ?? 0) < target) {
      low = node + 1
    } else {
      high = node
    }
  }
  return low
}
