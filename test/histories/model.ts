// The model: posts and categories as plain arrays, changed as the contract says.

export type Kind = 'post' | 'page'
export type ModelPost = {
  id: number
  title: string
  slug: string
  summary: string
  kind: Kind
  isPublished: boolean
  at: number | null
  categoryIds: number[]
  version: number
  updatedAt: number
  isAnnounced: boolean
}
export type PostMembers = Pick<
  ModelPost,
  'title' | 'slug' | 'summary' | 'kind' | 'isPublished' | 'at' | 'categoryIds'
>
export type ModelCategory = { id: number; name: string; slug: string; description: string }

const BLANK = { summary: '', kind: 'post', isPublished: false, at: null, categoryIds: [] } as const

export function openModel(startMs: number) {
  let nowMs = startMs
  let posts: ModelPost[] = []
  let categories: ModelCategory[] = []
  const events: string[] = []
  /** All that were ever used. */
  const slugs = { posts: new Set<string>(), categories: new Set<string>() }
  const nowSeconds = () => Math.floor(nowMs / 1000)

  const isLive = ({ isPublished, at }: ModelPost) => isPublished && at !== null && at <= nowSeconds()
  const fire = (event: string, post: ModelPost, second: number, previous = '') => {
    const { id, title, slug, kind, version, at } = post
    const url = `https://site.example/${kind === 'post' ? 'blog/' : ''}${encodeURIComponent(slug)}`
    events.push(`${event} ${kind} ${id} ${title} v${version} ${url} of ${at} at ${second} ${previous}`.trim())
  }
  const firePublished = (post: ModelPost, second: number) => fire(`${post.kind}.published`, post, second)
  /** A change of a post that is due but not yet announced fires its published event first. */
  const announce = (post: ModelPost) => {
    if (isLive(post) && !post.isAnnounced) firePublished(post, post.at ?? 0)
  }
  const withDate = (post: ModelPost): ModelPost =>
    post.isPublished && post.at === null ? { ...post, at: nowSeconds() } : post
  const findPost = (id: number) => {
    const post = posts.find(candidate => candidate.id === id)
    if (!post) throw new Error(`The model has no post ${id}.`)
    return post
  }

  const create = (id: number, members: Partial<PostMembers> & Pick<PostMembers, 'title' | 'slug'>) => {
    const post = withDate({
      ...BLANK,
      categoryIds: [],
      ...members,
      id,
      version: 1,
      updatedAt: nowSeconds(),
      isAnnounced: false,
    })
    post.isAnnounced = isLive(post)
    if (post.isAnnounced) firePublished(post, nowSeconds())
    posts.push(post)
    slugs.posts.add(post.slug)
  }

  const change = (id: number, members: Partial<PostMembers>) => {
    const before = findPost(id)
    const changed = withDate({ ...before, ...members })
    if (sameMembers(before, changed)) return
    announce(before)
    const after = {
      ...changed,
      version: before.version + 1,
      updatedAt: nowSeconds(),
      isAnnounced: isLive(changed),
    }
    if (isLive(after) && !isLive(before)) {
      firePublished(after, nowSeconds())
    } else if (isLive(before) && !isLive(after)) {
      fire('post.unpublished', after, nowSeconds())
    } else if (isLive(after)) {
      fire('post.updated', after, nowSeconds(), before.slug === after.slug ? '' : `was ${before.slug}`)
    }
    posts = posts.map(candidate => (candidate === before ? after : candidate))
    slugs.posts.add(after.slug)
  }

  const remove = (id: number) => {
    const post = findPost(id)
    announce(post)
    fire('post.deleted', { ...post, version: post.version + 1 }, nowSeconds())
    posts = posts.filter(candidate => candidate !== post)
  }

  return {
    nowSeconds,
    slugs,
    posts: () => posts,
    categories: () => categories.toSorted(byText(({ name }) => name)),
    isLive,
    isSlugTaken: (slug: string, by?: number) => posts.some(post => post.slug === slug && post.id !== by),
    isCategorySlugTaken: (slug: string, by?: number) =>
      categories.some(category => category.slug === slug && category.id !== by),
    create,
    change,
    remove,
    advance: (ms: number) => {
      nowMs += ms
    },
    announceDue: () => {
      for (const post of posts) announce(post)
      posts = posts.map(post => ({ ...post, isAnnounced: post.isAnnounced || isLive(post) }))
    },
    saveCategory: (category: ModelCategory) => {
      categories = [...categories.filter(({ id }) => id !== category.id), category]
      slugs.categories.add(category.slug)
    },
    removeCategory: (removedId: number) => {
      categories = categories.filter(({ id }) => id !== removedId)
      posts = posts.map(post => ({ ...post, categoryIds: post.categoryIds.filter(id => id !== removedId) }))
    },
    takeEvents: () => events.splice(0),
    livePosts: (categoryId?: number) =>
      posts
        .filter(post => post.kind === 'post' && isLive(post))
        .filter(({ categoryIds }) => categoryId === undefined || categoryIds.includes(categoryId))
        .sort((a, b) => (b.at ?? 0) - (a.at ?? 0) || b.id - a.id),
    livePages: () =>
      posts.filter(post => post.kind === 'page' && isLive(post)).sort(byText(({ title }) => title)),
    forAdmin: (draftsOnly: boolean, kind: Kind | undefined) =>
      posts
        .filter(post => (!draftsOnly || !post.isPublished) && (kind === undefined || post.kind === kind))
        .sort((a, b) => b.id - a.id),
  }
}

export type Model = ReturnType<typeof openModel>

function sameMembers(a: ModelPost, b: ModelPost): boolean {
  const textOf = (post: ModelPost) => JSON.stringify({ ...post, categoryIds: post.categoryIds.toSorted() })
  return textOf(a) === textOf(b)
}

/** Sorts by code points in lower case without diacritics, then by id. */
function byText<T extends { id: number }>(textOf: (record: T) => string) {
  return (a: T, b: T): number => {
    const [left, right] = [a, b].map(value => folded(textOf(value)))
    return Buffer.compare(Buffer.from(left ?? ''), Buffer.from(right ?? '')) || a.id - b.id
  }
}

export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
