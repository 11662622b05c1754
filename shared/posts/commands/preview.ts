// Makes a preview token of a post or page, and makes all tokens of one void.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { notFound } from '../../http/errors.ts'
import { type Reply, reply } from '../../http/reply.ts'
import { isoTime } from '../../http/time.ts'
import { ConditionFailed, exists } from '../../table/action.ts'
import { postKey } from '../../table/design.ts'
import type { PreviewToken } from '../fields.ts'
import { Post } from '../post.ts'
import { previewUrl, sealPreview } from '../preview.ts'

/** Writes nothing. `template`: the setting `site.preview_url`. Throws NOT_FOUND. */
export async function createPreview(
  { table, nowSeconds }: UnitOfWork,
  id: number,
  { seconds, template, secret }: { seconds: number; template: string | null; secret: string },
): Promise<Reply<PreviewToken>> {
  const post = await table.find(postKey(id), Post)
  if (!post) throw notFound('Post')
  const expiresAt = nowSeconds + seconds
  const token = sealPreview(post, expiresAt, secret)
  return reply({ token, expires_at: isoTime(expiresAt), url: previewUrl(template, post, token) })
}

/** The record keeps its version and its revision, so no other writer notices. Throws NOT_FOUND. */
export async function voidPreviews({ table }: UnitOfWork, id: number): Promise<void> {
  const Update = {
    Key: postKey(id),
    ...exists,
    UpdateExpression: 'ADD preview_epoch :one',
    ExpressionAttributeValues: { ':one': 1 },
  }
  await table.write({ Update }).catch(error => {
    throw error instanceof ConditionFailed ? notFound('Post') : error
  })
}
