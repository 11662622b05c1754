// A service at the normal limits with the posts, and a recorder in front of it for the clients.
import { adminPosts } from '../../shared/posts/contract.ts'
import { startService } from '../fuzz/service.ts'
import { callAt } from '../support/call.ts'
import { startCallProxy } from '../support/faults/call-proxy.ts'
import type { ClientPost } from './content.ts'

export type RecordedRequest = { line: string; status: number }
export type Stage = Awaited<ReturnType<typeof openStage>>

export async function openStage(content: ClientPost[], file: string) {
  const service = await startService(['--import', file])
  const recorded: RecordedRequest[] = []
  const proxy = await startCallProxy(service.baseUrl, async (request, next) => {
    const answer = await next(request)
    recorded.push({ line: `${request.method} ${request.path}`, status: answer.status })
    return answer
  })
  /** `take` returns what has been recorded since its last call. */
  const recorder = { url: proxy.endpoint, take: () => recorded.splice(0) }
  const posts = new Map(content.map(post => [post.slug, post]))
  const admin = service.token('the editor')
  const call = callAt(service.baseUrl)
  let edits = 0

  /** Changes the title of another post each time, past the recorder. */
  async function edit(): Promise<ClientPost> {
    const n = edits++ % content.length
    const old = content[n]
    if (!old) throw new Error('There are no posts.')
    const post = { ...old, title: `Edited ${edits}: ${old.title}`.slice(0, 255) }
    // The import into a fresh service has kept the ids.
    const params = { id: n + 1 }
    const { data } = await call(adminPosts.changePost, { token: admin, params, body: { title: post.title } })
    if (data.slug !== post.slug) throw new Error(`The post of ${post.slug} is ${data.slug}.`)
    posts.set(post.slug, post)
    return post
  }

  const stop = async (): Promise<void> => {
    await proxy.stop()
    await service.stop()
  }
  return { service, recorder, posts, admin, call, edit, stop }
}
