import { notFound } from 'next/navigation'
import { builtSlugs, readPost } from '../../posts.mjs'

/** The pages of a build. Those of later posts are made at their first request. */
export async function generateStaticParams() {
  return (await builtSlugs()).map(slug => ({ slug }))
}

export default async function Page({ params }) {
  const post = await readPost((await params).slug)
  if (!post) notFound()
  return (
    <article>
      <h1>{post.title}</h1>
      <div dangerouslySetInnerHTML={{ __html: post.body }} />
    </article>
  )
}
