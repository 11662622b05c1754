// A generated site: each post is generated from its number alone, so it can be compared without being stored.
import type { PostInput } from '../../shared/posts/fields.ts'
import { type Random, randomOf } from './random.ts'
import { generateVocabulary, type Vocabulary } from './vocabulary.ts'

/** `scheduled`: how many of the posts, the last ones; by default `SCHEDULED`. */
export type SiteOptions = { count: number; seed: number; scheduled?: number }

/** `words`: in title, short description and body. `author` counts from 0. */
export type SitePost = { id: number; author: number; input: SiteInput; words: string[] }
export type SiteInput = PostInput &
  Required<Pick<PostInput, 'body' | 'category_ids' | 'content_type' | 'is_published'>> & {
    slug: string
    posted_at: number
  }
/** `words`: the vocabulary, the most frequent first. */
export type Site = Required<SiteOptions> & { words: string[]; post(id: number): SitePost }

export const CATEGORIES = 20
export const AUTHORS = 20
/** The last posts are scheduled for a day in the far future. */
export const SCHEDULED = 10

const DAY_SECONDS = 86_400
const FIRST_DAY = Date.parse('2015-01-01T00:00:00Z') / 1000
const BUSY_DAY = Date.parse('2020-02-29T00:00:00Z') / 1000
const LAST_DAY = Date.parse('2024-12-31T00:00:00Z') / 1000
const FAR_AHEAD = Date.parse('2099-01-01T00:00:00Z') / 1000

/** Words of letters that the vocabulary does not have, in a known number of posts. */
export const PLANTED = {
  /** Each in three published posts. */
  rare: ['xqalor', 'xqbenim', 'xqcurot'],
  /** In every second post. */
  half: 'xzovim',
  /** Each in one post of 20, together in one of 400. */
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

/** Posts are numbered by date, as a site grows; a third of them have the same day. */
export function openSite({ count, seed, scheduled = SCHEDULED }: SiteOptions): Site {
  const vocabulary = generateVocabulary(seed)
  const options = { count, seed, scheduled }
  return { ...options, words: vocabulary.words, post: id => generatePost(id, options, vocabulary) }
}

/** The three published posts of a rare word, spread over the site. */
function holdersOf(rare: number, count: number): number[] {
  return [1, 2, 3].map(quarter => Math.floor((count * quarter) / 4) + 1 + 2 * rare)
}

function kindOf(id: number, { count, scheduled }: Required<SiteOptions>) {
  return {
    content_type: id % 100 === 0 && id <= count - scheduled ? ('page' as const) : ('post' as const),
    is_published: id % 100 !== 50,
    isScheduled: id > count - scheduled,
  }
}

function generatePost(id: number, options: Required<SiteOptions>, vocabulary: Vocabulary): SitePost {
  const { count, seed } = options
  const random = randomOf(seed, id)
  const say = (least: number, extra: number) =>
    Array.from({ length: least + random.below(extra) }, () => vocabulary.pick(random))
  const title = say(3, 7)
  const description = say(20, 15)
  const bodyWords = [...plantedIn(id, count, random), ...say(40, 60), ...say(0, random.below(400) + 1)]
  const { content_type, is_published, isScheduled } = kindOf(id, options)
  const name = `${title[0]}-${id}`
  const image = (size: string) => `https://images.example.com/${id % 100}/${name}/${size}.jpg`
  const input: SiteInput = {
    title: capital(title.join(' ')),
    slug: name,
    short_description: capital(`${description.join(' ')}.`),
    body: paragraphs(bodyWords),
    content_type,
    is_published,
    posted_at: isScheduled ? FAR_AHEAD + id : postedAt(id, count),
    category_ids: categoriesOf(random),
    featured_image: { thumbnail: image('s'), medium: image('m'), large: image('l'), original: image('o') },
    seo_title: '',
    meta_desc: '',
  }
  const words = [...title, ...description, ...bodyWords]
  return { id, author: random.below(AUTHORS), input, words }
}

function plantedIn(id: number, count: number, random: Random): string[] {
  return [
    ...PLANTED.rare.filter((_, n) => holdersOf(n, count).includes(id)),
    ...(id % 2 === 0 ? [PLANTED.half] : []),
    ...(id % 20 === 7 ? [PLANTED.pair[0]] : []),
    ...(id % 20 === 7 + (Math.floor(id / 20) % 20 === 0 ? 0 : 1) ? [PLANTED.pair[1]] : []),
    ...(random.below(50) === 0
      ? [`${PLANTED.prefix}${'aeioubdgkl'[random.below(10)]}${'mnrs'[random.below(4)]}`]
      : []),
  ]
}

/** A third each before, on and after the busy day. */
function postedAt(id: number, count: number): number {
  const third = (id * 3) / (count + 1)
  const within = (from: number, to: number, part: number) => Math.floor(from + (to - from) * part)
  if (third < 1) return within(FIRST_DAY, BUSY_DAY, third)
  if (third < 2) return within(BUSY_DAY, BUSY_DAY + DAY_SECONDS, third - 1)
  return within(BUSY_DAY + DAY_SECONDS, LAST_DAY, third - 2)
}

/** One to three categories; the first category has the most posts. */
function categoriesOf(random: Random): number[] {
  const indexes = Array.from({ length: 1 + random.below(3) }, () => Math.floor(CATEGORIES ** random.next()))
  return [...new Set(indexes)]
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

const TEXTS = { count: 10_000, seed: 2 }

/** The texts that benchmarks publish: another post each time, with a word that no other post has. */
export function openTexts() {
  const site = openSite(TEXTS)
  let last = 0
  return () => {
    const { title, short_description = '', body } = site.post(1 + (++last % TEXTS.count)).input
    return { title: `${title} zq${last}qz`, short_description, body }
  }
}
