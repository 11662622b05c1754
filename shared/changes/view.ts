// A target as the answer shows it: what it is at this moment, or that it has left public view. No I/O.
import { type CategoryRecord, countedCategoryView } from '../categories/category.ts'
import { isoTime } from '../http/time.ts'
import { isPublic, type Post, type PostEntry, type PublicEntry } from '../posts/post.ts'
import { listItem, type Names, singlePost } from '../posts/view.ts'
import type { Menu } from '../site/menu.ts'
import type { PublicSettings } from '../site/settings.ts'
import type { ChangedTarget, Target } from './change.ts'
import type { Change } from './contract.ts'

/** What the targets are. `items`: what the answer includes of them. */
export type States = {
  nowSeconds: number
  posts: Map<number, Post>
  categories: Map<number, CategoryRecord>
  menus: Map<string, Menu>
  items?: {
    names: Names
    /** The posts with their bodies; undefined if the list form is included. */
    bodies: Map<number, { post: PostEntry; body: string }> | undefined
    scheduled: PublicEntry[]
    settings: PublicSettings | undefined
  }
}

type State = { id: number | null; slug: string | null; item?: Change['item'] }

/** Undefined if readers never knew the target and still do not: drafts are not shown. */
export function changeOf({ target, atMs, formerSlugs }: ChangedTarget, states: States): Change | undefined {
  const common = { type: typeOf(target), at: isoTime(Math.floor(atMs / 1000)) }
  const state = stateOf(target, states)
  if (!state) {
    const known = identityOf(target, formerSlugs.at(-1))
    return known && { ...common, ...known, change: 'removed' }
  }
  const { id, slug, item } = state
  const [former] = formerSlugs
  return {
    ...common,
    id,
    slug,
    change: 'upserted',
    ...(former !== undefined && former !== slug && { previous_slug: former }),
    ...(item && { item }),
  }
}

function typeOf(target: Target): Change['type'] {
  return target.kind === 'post' ? target.type : target.kind
}

function identityOf(target: Target, slug: string | undefined) {
  if (target.kind === 'menu') return { id: null, slug: target.location }
  return 'id' in target && slug !== undefined ? { id: target.id, slug } : undefined
}

/** Undefined if no reader sees it. */
function stateOf(target: Target, states: States): State | undefined {
  const { items } = states
  switch (target.kind) {
    case 'post':
      return postState(target, states)
    case 'category': {
      const category = states.categories.get(target.id)
      if (!category) return undefined
      return {
        id: category.id,
        slug: category.slug,
        item: items && countedCategoryView(category, items.scheduled),
      }
    }
    case 'menu': {
      const menu = states.menus.get(target.location)
      return menu && { id: null, slug: menu.location, item: items && menu }
    }
    default:
      return { id: null, slug: null, item: target.kind === 'settings' ? items?.settings : undefined }
  }
}

function postState(
  { id, type }: Extract<Target, { kind: 'post' }>,
  { posts, items, nowSeconds }: States,
): State | undefined {
  const post = posts.get(id)
  if (!post || !isPublic(post, type, nowSeconds)) return undefined
  if (!items?.bodies) return { id, slug: post.slug, item: items && listItem(post, items.names) }
  // With its body, a post may have been read again, and may have left public view.
  const full = items.bodies.get(id)
  if (full?.post.content_type !== type) return undefined
  return { id, slug: full.post.slug, item: singlePost(full.post, full.body, items.names) }
}
