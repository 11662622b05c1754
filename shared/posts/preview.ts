// Preview tokens: each shows one post or page that readers do not see. They are sealed, not stored. No I/O.
import * as z from 'zod/mini'
import { openText, sealText } from '../table/sealed.ts'
import type { Post } from './post.ts'

/** What a token says: which record it shows, until when, and under which epoch of the record. */
export type Preview = { id: number; epoch: number; expiresAt: number }

const Sealed = z.tuple([z.int(), z.int(), z.int()])
/** Longer than any token, so that a long text costs nothing. */
const LONGEST_TOKEN = 200

/** `secret`: the value of the secret of client keys. */
function lockOf(secret: string) {
  return { secret, use: 'preview', place: '' }
}

export function sealPreview(post: Post, expiresAt: number, secret: string): string {
  return sealText([post.id, epochOf(post), expiresAt], lockOf(secret))
}

/** Undefined without a token, and for one that is forged or expired. */
export function openPreview(
  token: string | undefined,
  nowSeconds: number,
  secret: string,
): Preview | undefined {
  if (token === undefined || token.length > LONGEST_TOKEN) return undefined
  const sealed = Sealed.safeParse(openText(token, lockOf(secret)))
  if (!sealed.success) return undefined
  const [id, epoch, expiresAt] = sealed.data
  return expiresAt > nowSeconds ? { id, epoch, expiresAt } : undefined
}

/** Whether the token is for this record, and has not been made void. */
export function isPreviewOf(preview: Preview | undefined, post: Post): boolean {
  return preview?.id === post.id && preview.epoch === epochOf(post)
}

function epochOf({ preview_epoch = 0 }: Post): number {
  return preview_epoch
}

/** The page of the site that shows the preview; null if the site has named none. */
export function previewUrl(
  template: string | null,
  { id, slug, content_type }: Post,
  token: string,
): string | null {
  const values = { '{token}': token, '{slug}': slug, '{id}': String(id), '{content_type}': content_type }
  const filled = Object.entries(values).reduce(
    (url, [name, value]) => url.replaceAll(name, encodeURIComponent(value)),
    template ?? '',
  )
  return filled || null
}
