// Comments for tests: guests submit and read them, admins moderate them.
import { adminComments, comments, guestComments } from '../../shared/comments/contract.ts'
import type { World } from './world.ts'

export const GUEST_COMMENT = { author_name: 'Ada', author_email: 'Ada@Example.com', body: 'Well said.' }

export function commentWorld(world: World) {
  const submit = (slug: string, body: Record<string, unknown> = {}) =>
    world.call(guestComments.createGuestComment, { params: { slug }, body: { ...GUEST_COMMENT, ...body } })
  const list = (slug: string, query: Record<string, string | number> = {}) =>
    world.call(comments.listComments, { params: { slug }, query })

  const asAdmin = (id: number) => ({ token: world.admin, params: { id } })
  const approve = (id: number) => world.call(adminComments.approveComment, asAdmin(id))
  const reject = (id: number) => world.call(adminComments.rejectComment, asAdmin(id))
  const remove = (id: number) => world.call(adminComments.deleteComment, asAdmin(id))

  /** Returns the comment as it was before the approval. */
  const submitApproved = async (slug: string, body: Record<string, unknown> = {}) => {
    const { data } = await submit(slug, body)
    await approve(data.id)
    return data
  }

  return { submit, list, approve, reject, remove, submitApproved }
}
