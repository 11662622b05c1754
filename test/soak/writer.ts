// A client that writes posts of its own, one act after the other, and remembers what it was answered.
import { adminPosts } from '../../shared/posts/contract.ts'
import type { AdminPost } from '../../shared/posts/fields.ts'
import type { Random } from '../bench/random.ts'
import type { callAt } from '../world/call.ts'

export type Connection = { call: ReturnType<typeof callAt>; token: string }

/** As last answered, `undefined` when deleted. No longer sure: what was asked last may have been done or not. */
type Known = { post: AdminPost | undefined; isSure: boolean }

const FEWEST_POSTS = 5
const MOST_POSTS = 25

export function openWriter(name: string, random: Random) {
  const known = new Map<number, Known>()
  let written = 0
  let told = 0
  let answered = 0
  let unanswered = 0

  const newWords = () => ({ title: `${name} ${++written}`, body: textOf(random) })

  const create = async ({ call, token }: Connection): Promise<void> => {
    const body = { ...newWords(), is_published: random.below(3) > 0 }
    const { status, data, text } = await call(adminPosts.createPost, { token, body })
    if (status !== 201) throw new Error(`A post was refused: ${text}`)
    keep(data.id, data, data.is_published)
  }

  const change = async ({ call, token }: Connection, before: AdminPost): Promise<void> => {
    const params = { id: before.id }
    const act = random.below(5)
    if (act === 0) {
      await call(adminPosts.deletePost, { token, params }).then(({ data }) => data)
      return keep(before.id, undefined, true)
    }
    const [endpoint, isTold] =
      act === 1
        ? [adminPosts.unpublishPost, before.is_published]
        : act === 2
          ? [adminPosts.publishPost, !before.is_published]
          : [adminPosts.changePost, before.is_published]
    const body = endpoint === adminPosts.changePost ? newWords() : undefined
    keep(before.id, (await call(endpoint, { token, params, body })).data, isTold)
  }

  const keep = (id: number, post: AdminPost | undefined, isTold: boolean): void => {
    known.set(id, { post, isSure: true })
    answered++
    if (isTold) told++
  }

  /** One act. Reading an answer that is none throws: the service was killed meanwhile. */
  const act = async (connection: Connection): Promise<void> => {
    const sure = [...known.values()].flatMap(({ post, isSure }) => (post && isSure ? post : []))
    const isNew = sure.length < FEWEST_POSTS || (sure.length < MOST_POSTS && random.below(3) === 0)
    const post = isNew ? undefined : sure[random.below(sure.length)]
    try {
      await (post ? change(connection, post) : create(connection))
    } catch {
      unanswered++
      if (post) known.set(post.id, { post, isSure: false })
    }
  }
  return { known, act, told: () => told, answered: () => answered, unanswered: () => unanswered }
}

export type Writer = ReturnType<typeof openWriter>

const WORDS = [
  'alder',
  'birch',
  'cedar',
  'elm',
  'fir',
  'hazel',
  'juniper',
  'larch',
  'maple',
  'oak',
  'pine',
  'yew',
]

function textOf(random: Random): string {
  return `<p>${Array.from({ length: 8 }, () => WORDS[random.below(WORDS.length)]).join(' ')}</p>`
}
