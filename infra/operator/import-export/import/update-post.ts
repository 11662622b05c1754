// Overwrites an imported post with what the source has now, as an editor would.
import { updatePost } from '../../../../shared/posts/commands/change.ts'
import { postKey } from '../../../../shared/table/design.ts'
import type { PostItem } from '../item.ts'
import type { ImportJob } from './job.ts'
import { referencesOf } from './references.ts'

export const POST_KEY = postKey

/** Throws NOT_FOUND if it was deleted here, and VALIDATION_ERROR if its new slug is taken. */
export async function updateImportedPost(job: ImportJob, item: PostItem, id: number): Promise<void> {
  const { author_id, category_ids } = await referencesOf(job, item)
  const { title, slug, body, short_description, content_type, seo_title, meta_desc } = item.value
  const { featured_image, is_published, posted_at } = item.value
  const anyVersion = () => undefined
  await updatePost(
    job.work(),
    { id, requireMatch: anyVersion },
    {
      title,
      slug,
      body,
      short_description,
      content_type,
      seo_title,
      meta_desc,
      featured_image,
      is_published,
      posted_at,
      author_id,
      category_ids,
    },
  )
}
