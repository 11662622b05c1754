// Which functions import an item, by its kind.
import type { Key } from '../../../../shared/table/key.ts'
import type { Item, PostItem } from '../item.ts'
import { COMMENTS } from './comments.ts'
import { SUBMISSIONS, SUBSCRIBERS } from './community.ts'
import type { ImportJob } from './job.ts'
import { type Maker, make } from './maker.ts'
import { CATEGORIES, MENUS, SETTINGS } from './site.ts'
import { TICKETS } from './tickets.ts'
import { POST_KEY, updateImportedPost } from './update-post.ts'
import { USERS } from './users.ts'
import { WEBHOOKS } from './webhooks.ts'

export type Bound = {
  keyOf: ((id: number) => Key) | undefined
  /** Undefined for posts, which are written several at a time. */
  make: ((job: ImportJob) => Promise<void>) | undefined
  update: ((job: ImportJob, id: number) => Promise<void>) | undefined
  complete: ((job: ImportJob, id: number) => Promise<void>) | undefined
}

function bound<I extends Item>(maker: Maker<I>, item: I): Bound {
  const { keyOf, update, complete } = maker
  return {
    keyOf,
    make: job => make(job, maker, item),
    update: update && ((job, id) => update(job, item, id)),
    complete: complete && ((job, id) => complete(job, item, id)),
  }
}

function boundPost(item: PostItem): Bound {
  return {
    keyOf: POST_KEY,
    make: undefined,
    update: (job, id) => updateImportedPost(job, item, id),
    complete: undefined,
  }
}

export function bind(item: Item): Bound {
  switch (item.kind) {
    case 'settings':
      return bound(SETTINGS, item)
    case 'menu':
      return bound(MENUS, item)
    case 'category':
      return bound(CATEGORIES, item)
    case 'user':
      return bound(USERS, item)
    case 'post':
      return boundPost(item)
    case 'comment':
      return bound(COMMENTS, item)
    case 'ticket':
      return bound(TICKETS, item)
    case 'subscriber':
      return bound(SUBSCRIBERS, item)
    case 'submission':
      return bound(SUBMISSIONS, item)
    case 'webhook':
      return bound(WEBHOOKS, item)
  }
}
