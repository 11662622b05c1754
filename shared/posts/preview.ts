// Preview tokens: each shows one post or page that readers do not see. They are sealed, not stored. No I/O.
import * as z from 'zod/mini'
import { openText, sealText } from '../table/sealed.ts'
import type { Post } from './post.ts'

/** What a token says: which record it shows, under which epoch of the record, and until when. */
const Preview = z.object({ id: z.int(), epoch: z.int(), expiresAt: z.int() })
export type Preview = z.infer<typeof Preview>

/** `secret`: the value of the secret of client keys. */
function lockOf(secret: string) {
  return { secret, use: 'preview', place: '' }
}

export function sealPreview(post: Post, expiresAt: number, secret: string): string {
  const preview: Preview = { id: post.id, epoch: epochOf(post), expiresAt }
  return sealText(preview, lockOf(secret))
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
  let url = template
  for (const [name, value] of Object.entries(values)) {
    url = url?.replaceAll(name, encodeURIComponent(value)) ?? null
  }
  return url
}
