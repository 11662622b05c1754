// Preview tokens: each shows one post or page that readers do not see. They are sealed, not stored, and all
// of a record are void once its epoch is another one.
import * as z from 'zod/mini'
import type { UnitOfWork } from '../events/unit-of-work.ts'
import { notFound } from '../http/errors.ts'
import { type Reply, reply } from '../http/reply.ts'
import { isoTime } from '../http/time.ts'
import { ConditionFailed, exists } from '../table/action.ts'
import { postKey } from '../table/design.ts'
import { openText, sealText } from '../table/sealed.ts'
import type { PreviewToken } from './fields.ts'
import { Post } from './post.ts'

/** What a token says: which record it shows, under which epoch of the record, and until when. */
const Preview = z.object({ id: z.int(), epoch: z.int(), expiresAt: z.int() })
export type Preview = z.infer<typeof Preview>

/** `secret`: the value of the secret of client keys. */
function lockOf(secret: string) {
  return { secret, use: 'preview', place: '' }
}

export function sealPreview(
  { id, preview_epoch: epoch = 0 }: Post,
  expiresAt: number,
  secret: string,
): string {
  return sealText({ id, epoch, expiresAt } satisfies Preview, lockOf(secret))
}

/** Undefined without a token, and for one that is forged or expired. */
export function openPreview(
  token: string | undefined,
  nowSeconds: number,
  secret: string,
): Preview | undefined {
  if (token === undefined) return undefined
  const { data: preview } = Preview.safeParse(openText(token, lockOf(secret)))
  return preview && preview.expiresAt > nowSeconds ? preview : undefined
}

/** Whether the token is for this record, and has not been made void. */
export function isPreviewOf(preview: Preview | undefined, { id, preview_epoch = 0 }: Post): boolean {
  return preview?.id === id && preview.epoch === preview_epoch
}

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
  const values = { token, slug: post.slug, id: String(id), content_type: post.content_type }
  const url = Object.entries(values).reduce(
    (filled, [name, value]) => filled?.replaceAll(`{${name}}`, encodeURIComponent(value)) ?? null,
    template,
  )
  return reply({ token, expires_at: isoTime(expiresAt), url })
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
