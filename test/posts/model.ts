// The service as plain arrays: what any history of writes must come to. Written from the contract, not the code.
import { compareOrder } from '../../shared/table/directory.ts'

export type ModelPost = {
  id: number
  title: string
  type: 'post' | 'page'
  published: boolean
  at: number | null
  cats: number[]
  version: number
  told: boolean
}
export type Change = Partial<Pick<ModelPost, 'title' | 'type' | 'published' | 'at' | 'cats'>>

export class Model {
  now = 1_800_000_000
  posts = new Map<number, ModelPost>()
  categories = new Set<number>()
  /** `event id version second`, in no order. */
  events: string[] = []

  wait(seconds: number) {
    this.now += seconds
  }

  create(id: number, change: Change & { title: string }) {
    const blank: ModelPost = {
      id,
      type: 'post',
      published: false,
      at: null,
      cats: [],
      version: 1,
      told: false,
      ...change,
    }
    this.#enter(blank)
  }

  change(id: number, change: Change) {
    const before = this.posts.get(id)
    if (!before) return
    const after = dated({ ...before, ...change }, this.now)
    if (shown(after) === shown(before)) return
    if (this.#isDue(before)) this.#tellLive(before, before.at ?? 0)
    const [was, is] = [this.#isLive(before), this.#isLive(after)]
    const changed = { ...after, version: before.version + 1, told: is }
    if (is && !was) this.#tellLive(changed, this.now)
    else if (was && !is) this.#tell('post.unpublished', changed, this.now)
    else if (was) this.#tell('post.updated', changed, this.now)
    this.posts.set(id, changed)
  }

  remove(id: number) {
    const post = this.posts.get(id)
    if (!post) return
    if (this.#isDue(post)) this.#tellLive(post, post.at ?? 0)
    this.#tell('post.deleted', { ...post, version: post.version + 1 }, this.now)
    this.posts.delete(id)
  }

  removeCategory(id: number) {
    this.categories.delete(id)
    for (const post of this.posts.values()) post.cats = post.cats.filter(cat => cat !== id)
  }

  announceDue() {
    for (const post of this.posts.values()) {
      if (!this.#isDue(post)) continue
      this.#tellLive(post, post.at ?? 0)
      post.told = true
    }
  }

  livePosts(category?: number): number[] {
    const live = [...this.posts.values()].filter(post => post.type === 'post' && this.#isLive(post))
    const inIt = live.filter(({ cats }) => category === undefined || cats.includes(category))
    return inIt.sort((a, b) => (b.at ?? 0) - (a.at ?? 0) || b.id - a.id).map(({ id }) => id)
  }

  livePages(): number[] {
    const live = [...this.posts.values()].filter(post => post.type === 'page' && this.#isLive(post))
    return live.sort((a, b) => compareOrder(fold(a.title), fold(b.title)) || a.id - b.id).map(({ id }) => id)
  }

  forAdmin(drafts: boolean, type: 'post' | 'page' | undefined): number[] {
    const wanted = [...this.posts.values()].filter(
      post => (!drafts || !post.published) && (type === undefined || post.type === type),
    )
    return wanted.map(({ id }) => id).sort((a, b) => b - a)
  }

  #enter(blank: ModelPost) {
    const post = dated(blank, this.now)
    post.told = this.#isLive(post)
    if (post.told) this.#tellLive(post, this.now)
    this.posts.set(post.id, post)
  }

  #isLive = ({ published, at }: ModelPost) => published && at !== null && at <= this.now
  #isDue = (post: ModelPost) => this.#isLive(post) && !post.told
  #tellLive = (post: ModelPost, second: number) => this.#tell(`${post.type}.published`, post, second)
  #tell = (event: string, { id, version }: ModelPost, second: number) =>
    this.events.push(`${event} ${id} v${version} ${second}`)
}

const dated = (post: ModelPost, now: number): ModelPost =>
  post.published && post.at === null ? { ...post, at: now } : post

const shown = ({ title, type, published, at, cats }: ModelPost): string =>
  JSON.stringify([title, type, published, at, [...cats].sort()])

const fold = (title: string): string =>
  title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
