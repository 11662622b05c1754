// Posts and categories as plain arrays, by the words of the contract: what any history must come to.

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
  isTold: boolean
}
export type Members = Pick<
  ModelPost,
  'title' | 'slug' | 'summary' | 'kind' | 'isPublished' | 'at' | 'categoryIds'
>
export type ModelCategory = { id: number; name: string; slug: string; description: string }

const BLANK = { summary: '', kind: 'post', isPublished: false, at: null, categoryIds: [] } as const

export function openModel(startMs: number) {
  let nowMs = startMs
  let posts: ModelPost[] = []
  let categories: ModelCategory[] = []
  const told: string[] = []
  /** Also those that nothing has any more. */
  const slugs = { posts: new Set<string>(), categories: new Set<string>() }
  const now = () => Math.floor(nowMs / 1000)

  const isLive = ({ isPublished, at }: ModelPost) => isPublished && at !== null && at <= now()
  const tell = (event: string, post: ModelPost, second: number, previous = '') =>
    told.push(`${event} ${post.id} ${post.slug} v${post.version} at ${second} ${previous}`.trim())
  const tellLive = (post: ModelPost, second: number) => tell(`${post.kind}.published`, post, second)
  /** Whoever touches a post whose time has come and was not told, tells it first. */
  const tellOverdue = (post: ModelPost) => {
    if (isLive(post) && !post.isTold) tellLive(post, post.at ?? 0)
  }
  const dated = (post: ModelPost): ModelPost =>
    post.isPublished && post.at === null ? { ...post, at: now() } : post
  const findPost = (id: number) => {
    const post = posts.find(each => each.id === id)
    if (!post) throw new Error(`The model has no post ${id}.`)
    return post
  }

  const create = (id: number, given: Partial<Members> & Pick<Members, 'title' | 'slug'>) => {
    const post = dated({
      ...BLANK,
      categoryIds: [],
      ...given,
      id,
      version: 1,
      updatedAt: now(),
      isTold: false,
    })
    post.isTold = isLive(post)
    if (post.isTold) tellLive(post, now())
    posts.push(post)
    slugs.posts.add(post.slug)
  }

  const change = (id: number, members: Partial<Members>) => {
    const before = findPost(id)
    const wanted = dated({ ...before, ...members })
    if (sameMembers(before, wanted)) return
    tellOverdue(before)
    const after = { ...wanted, version: before.version + 1, updatedAt: now(), isTold: isLive(wanted) }
    if (isLive(after) && !isLive(before)) {
      tellLive(after, now())
    } else if (isLive(before) && !isLive(after)) {
      tell('post.unpublished', after, now())
    } else if (isLive(after)) {
      tell('post.updated', after, now(), before.slug === after.slug ? '' : `was ${before.slug}`)
    }
    posts = posts.map(each => (each === before ? after : each))
    slugs.posts.add(after.slug)
  }

  const remove = (id: number) => {
    const post = findPost(id)
    tellOverdue(post)
    tell('post.deleted', { ...post, version: post.version + 1 }, now())
    posts = posts.filter(each => each !== post)
  }

  return {
    now,
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
    moveOn: (ms: number) => {
      nowMs += ms
    },
    announceDue: () => {
      for (const post of posts) tellOverdue(post)
      posts = posts.map(post => ({ ...post, isTold: post.isTold || isLive(post) }))
    },
    keepCategory: (category: ModelCategory) => {
      categories = [...categories.filter(({ id }) => id !== category.id), category]
      slugs.categories.add(category.slug)
    },
    removeCategory: (gone: number) => {
      categories = categories.filter(({ id }) => id !== gone)
      posts = posts.map(post => ({ ...post, categoryIds: post.categoryIds.filter(id => id !== gone) }))
    },
    takeEvents: () => told.splice(0),
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

/** In lower case without diacritics, by code points; then by id. */
function byText<T extends { id: number }>(textOf: (one: T) => string) {
  return (a: T, b: T): number => {
    const [left, right] = [a, b].map(one => plain(textOf(one)))
    return Buffer.compare(Buffer.from(left ?? ''), Buffer.from(right ?? '')) || a.id - b.id
  }
}

export function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
