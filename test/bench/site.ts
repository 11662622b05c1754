// A generated site: each post is generated from its number alone, so it can be compared without being stored.
import { type Random, randomOf } from './random.ts'

export type SitePost = ReturnType<typeof postOf>
/** `words`: the vocabulary, the most frequent first. */
export type Site = { count: number; words: string[]; post(id: number): SitePost }

export const CATEGORIES = 20
export const AUTHORS = 20

const DAY_SECONDS = 86_400
const FIRST_DAY = Date.parse('2015-01-01T00:00:00Z') / 1000
const BUSY_DAY = Date.parse('2020-02-29T00:00:00Z') / 1000
const LAST_DAY = Date.parse('2024-12-31T00:00:00Z') / 1000

/** Words of letters that the vocabulary does not have, in a known number of posts. */
export const PLANTED = {
  /** In three posts, spread over the site. */
  rare: 'xqalor',
  /** In every second post. */
  half: 'xzovim',
  /** Each in one post of some 20, together in one of 420. */
  pair: ['xzadul', 'xzebor'],
  /** One post of 50 has one of 40 words that begin with these two letters. */
  prefix: 'yk',
} as const

/** The most characters that `q` may have. */
const LONGEST = 200

/** A search for words, as long as a search may be. */
export function upToLongest(words: Iterable<string>): string {
  let q = ''
  for (const word of words) if (q.length + 1 + word.length <= LONGEST) q += ` ${word}`
  return q.trim()
}

const WORDS = Array.from({ length: 30_000 }, (_, rank) => wordOf(rank))

/** Frequent words are short. None has a q, an x or a y, which planted words have. */
function wordOf(rank: number): string {
  const consonants = 'b c d f g h k l m n p r s t v w tr st'.split(' ')
  const vowels = ['a', 'e', 'i', 'o', 'u', 'ai', 'ou']
  const [consonant, others] = [rank % consonants.length, Math.floor(rank / consonants.length)]
  const [vowel, rest] = [others % vowels.length, Math.floor(others / vowels.length)]
  const syllable = `${consonants[consonant]}${vowels[vowel]}`
  return rest === 0 ? syllable : syllable + wordOf(rest - 1)
}

/** A number below `count`. The higher it is, the rarer, by Zipf's law. */
function rankBelow(count: number, random: Random): number {
  return Math.floor((count + 1) ** random.next()) - 1
}

/** Posts are numbered by date, as a site grows; a third of them have the same day. */
export function openSite(count: number): Site {
  return { count, words: WORDS, post: id => postOf(id, count) }
}

function postOf(id: number, count: number) {
  const random = randomOf(1, id)
  const say = (least: number, extra: number) =>
    Array.from({ length: least + random.below(extra) }, () => WORDS[rankBelow(WORDS.length, random)] ?? '')
  const title = say(3, 7)
  const description = say(20, 15)
  const bodyWords = [...plantedIn(id, count), ...say(40, 60), ...say(0, random.below(200) + 1)]
  const name = `${title[0]}-${id}`
  const image = (size: string) => `https://images.example.com/${id % 100}/${name}/${size}.jpg`
  const input = {
    title: capital(title.join(' ')),
    slug: name,
    short_description: capital(`${description.join(' ')}.`),
    body: paragraphs(bodyWords),
    content_type: id % 100 === 0 ? ('page' as const) : ('post' as const),
    is_published: id % 100 !== 50,
    posted_at: postedAt(id, count),
    category_ids: categoriesOf(random),
    featured_image: { thumbnail: image('s'), medium: image('m'), large: image('l'), original: image('o') },
    seo_title: '',
    meta_desc: '',
  }
  /** `author` counts from 0, `words` are those of all texts. */
  return { author: random.below(AUTHORS), input, words: [...title, ...description, ...bodyWords] }
}

function plantedIn(id: number, count: number): string[] {
  return [
    ...(id % Math.ceil(count / 3) === 1 ? [PLANTED.rare] : []),
    ...(id % 2 === 0 ? [PLANTED.half] : []),
    ...(id % 20 === 7 ? [PLANTED.pair[0]] : []),
    ...(id % 21 === 7 ? [PLANTED.pair[1]] : []),
    ...(id % 50 === 3 ? [`${PLANTED.prefix}${WORDS[Math.floor(id / 50) % 40]}`] : []),
  ]
}

/** A third each before, on and after the busy day. */
function postedAt(id: number, count: number): number {
  const days = [FIRST_DAY, BUSY_DAY, BUSY_DAY + DAY_SECONDS, LAST_DAY]
  const part = (id * 3) / (count + 1)
  const [from = 0, to = 0] = days.slice(Math.floor(part))
  return Math.floor(from + (to - from) * (part % 1))
}

/** One to three categories; the first category has the most posts. */
function categoriesOf(random: Random): number[] {
  const ids = Array.from({ length: 1 + random.below(3) }, () => 1 + rankBelow(CATEGORIES, random))
  return [...new Set(ids)]
}

const WORDS_A_PARAGRAPH = 60

function paragraphs(words: string[]): string {
  return Array.from({ length: Math.ceil(words.length / WORDS_A_PARAGRAPH) }, (_, n) =>
    words.slice(n * WORDS_A_PARAGRAPH, (n + 1) * WORDS_A_PARAGRAPH),
  )
    .map(part => `<p>${capital(part.join(' '))}.</p>`)
    .join('\n')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The texts that benchmarks publish: another post each time, with a word that no other post has. */
export function openTexts() {
  const site = openSite(10_000)
  let last = 0
  return () => {
    const { title, short_description, body } = site.post(1 + (++last % site.count)).input
    return { title: `${title} zq${last}qz`, short_description, body }
  }
}
