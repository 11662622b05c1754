// During a build, posts come from the copy that copy.mjs has made; later each comes from the API.
import { readFile } from 'node:fs/promises'

const { API = 'http://127.0.0.1:3000', NEXT_PHASE } = process.env
let copy

/** Posts without pages, by slug. Each process of the build reads the file once. */
function copied() {
  copy ??= readFile('.cache/posts.json', 'utf8').then(text => {
    const posts = JSON.parse(text).posts.map(([, post]) => post)
    return new Map(posts.filter(post => post.content_type === 'post').map(post => [post.slug, post]))
  })
  return copy
}

export async function builtSlugs() {
  return [...(await copied()).keys()]
}

export async function readPost(slug) {
  if (NEXT_PHASE === 'phase-production-build') return (await copied()).get(slug)
  const response = await fetch(`${API}/api/v1/posts/${encodeURIComponent(slug)}`)
  if (response.status === 404) return
  const answer = await response.json()
  // After an error Next.js keeps the page that it has.
  if (!answer.success) throw new Error(answer.message)
  return answer.data
}
