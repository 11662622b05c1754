// A client that writes its own posts, one act after the other, and remembers the answers.
import { adminPosts } from '../../shared/posts/contract.ts'
import type { AdminPost } from '../../shared/posts/fields.ts'
import type { Random } from '../bench/random.ts'
import type { callAt } from '../support/call.ts'

export type Connection = { call: ReturnType<typeof callAt>; token: string }

/** The last answer, undefined if deleted. Not `isSure`: a later act without an answer may have happened. */
type ExpectedPost = { post: AdminPost | undefined; isSure: boolean }

const MIN_POSTS = 5
const MAX_POSTS = 25

export function openWriter(name: string, random: Random) {
  const expected = new Map<number, ExpectedPost>()
  let written = 0
  let fired = 0
  let answered = 0
  let unanswered = 0

  const newTexts = () => ({ title: `${name} ${++written}`, body: textOf(random) })

  const create = async ({ call, token }: Connection): Promise<void> => {
    const body = { ...newTexts(), is_published: random.below(3) > 0 }
    const { status, data, text } = await call(adminPosts.createPost, { token, body })
    if (status !== 201) throw new Error(`A post was refused: ${text}`)
    remember(data.id, data, data.is_published)
  }

  const change = async ({ call, token }: Connection, before: AdminPost): Promise<void> => {
    const params = { id: before.id }
    const act = random.below(5)
    if (act === 0) {
      await call(adminPosts.deletePost, { token, params }).then(({ data }) => data)
      return remember(before.id, undefined, true)
    }
    const [endpoint, firesEvent] =
      act === 1
        ? [adminPosts.unpublishPost, before.is_published]
        : act === 2
          ? [adminPosts.publishPost, !before.is_published]
          : [adminPosts.changePost, before.is_published]
    const body = endpoint === adminPosts.changePost ? newTexts() : undefined
    remember(before.id, (await call(endpoint, { token, params, body })).data, firesEvent)
  }

  const remember = (id: number, post: AdminPost | undefined, firesEvent: boolean): void => {
    expected.set(id, { post, isSure: true })
    answered++
    if (firesEvent) fired++
  }

  /** Performs one act. Without an answer the call throws, because the service was killed. */
  const act = async (connection: Connection): Promise<void> => {
    const sure = [...expected.values()].flatMap(({ post, isSure }) => (post && isSure ? post : []))
    const isNew = sure.length < MIN_POSTS || (sure.length < MAX_POSTS && random.below(3) === 0)
    const post = isNew ? undefined : sure[random.below(sure.length)]
    try {
      await (post ? change(connection, post) : create(connection))
    } catch {
      unanswered++
      if (post) expected.set(post.id, { post, isSure: false })
    }
  }
  return { expected, act, fired: () => fired, answered: () => answered, unanswered: () => unanswered }
}

export type Writer = ReturnType<typeof openWriter>

const WORDS = 'alder birch cedar elm fir hazel juniper larch maple oak pine yew'.split(' ')

function textOf(random: Random): string {
  return `<p>${Array.from({ length: 8 }, () => WORDS[random.below(WORDS.length)]).join(' ')}</p>`
}
