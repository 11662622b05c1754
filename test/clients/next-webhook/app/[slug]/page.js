import { cookies, draftMode } from 'next/headers'
import { notFound } from 'next/navigation'
import { draftOf } from '../../../draft.mjs'
import { builtSlugs, readPost } from '../../posts.mjs'

/** The pages of a build. Those of later posts are made at their first request. */
export async function generateStaticParams() {
  return (await builtSlugs()).map(slug => ({ slug }))
}

/** In draft mode, the post that the token is for; all others as readers see them. */
async function readDraft(slug) {
  const { isEnabled } = await draftMode()
  if (!isEnabled) return
  const draft = await draftOf((await cookies()).get('preview-token')?.value)
  return draft?.slug === slug ? draft : undefined
}

export default async function Page({ params }) {
  const slug = decodeURIComponent((await params).slug)
  const post = (await readDraft(slug)) ?? (await readPost(slug))
  if (!post) notFound()
  return (
    <article>
      <h1>{post.title}</h1>
      <div dangerouslySetInnerHTML={{ __html: post.body }} />
    </article>
  )
}
