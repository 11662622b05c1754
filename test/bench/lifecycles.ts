// Runs posts through their life cycle, from creation to deletion: the writes of the benchmark.
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import type { CallOptions } from '../world/call.ts'

/** Makes one call, which must succeed, and returns the body of its response. */
export type Step = (name: string, endpoint: Endpoint, ask: CallOptions) => Promise<string>

/** A post whose list entry is about 1 kB. */
const BODY = {
  title: 'A post that is measured',
  short_description: 'What it says in short. '.repeat(10),
  body: '<p>What it says at length.</p>'.repeat(40),
  category_ids: [1],
  featured_image: { original: `https://images.example.com/${'measured/'.repeat(20)}o.jpg` },
}

const CreatedPost = z.object({ data: z.object({ id: z.int() }) })
const { createPost, publishPost, changePost, unpublishPost, deletePost } = adminPosts

/** Creates all posts before it deletes the first, so that lists grow and shrink. */
export async function runLifecycles(step: Step, slug: string, lives: number): Promise<void> {
  const posts: number[] = []
  const make = async (name: string, members: { slug: string; is_published?: boolean }) => {
    const { data } = CreatedPost.parse(
      JSON.parse(await step(name, createPost, { body: { ...BODY, ...members } })),
    )
    posts.push(data.id)
    return { params: { id: data.id } }
  }
  for (let n = 0; n < lives; n++) {
    await make('POST /admin/posts', { slug: `${slug}-${n}`, is_published: true })
    const draft = await make('POST /admin/posts, a draft', { slug: `${slug}-draft-${n}` })
    await step('POST /admin/posts/{id}/publish', publishPost, draft)
    await step('PATCH /admin/posts/{id}', changePost, { ...draft, body: { title: 'Another title' } })
  }
  for (const id of posts) {
    await step('POST /admin/posts/{id}/unpublish', unpublishPost, { params: { id } })
    await step('DELETE /admin/posts/{id}', deletePost, { params: { id } })
  }
}
