// A preview token that is sealed right after a rotation opens in a function that has the earlier key.
import { beforeAll, expect, it } from 'vitest'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { Post } from '../../shared/posts/post.ts'
import { sealPreview } from '../../shared/posts/preview.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { postKey } from '../../shared/table/design.ts'
import { callOf, openChain } from '../support/chain.ts'
import { openSecretStore } from '../support/secret-store.ts'
import { use } from '../support/use.ts'

const callAdmin = callOf((await import('../../functions/admin.ts')).handler)
const callPublic = callOf((await import('../../functions/public.ts')).handler)
const store = use(openSecretStore)
const chain = use(() => openChain(store.environment))
let draft: Post

beforeAll(async () => {
  setRuntime(chain.runtime)
  const { token } = await chain.user(['admin'])
  const { status } = await callAdmin(adminPosts.createPost, { token, body: { title: 'Draft' } })
  expect(status).toBe(201)
  draft = (await chain.table.find(postKey(1), Post)) ?? expect.unreachable()
})

it.each([
  ['its own endpoint', () => ({ endpoint: posts.getPreview })],
  ['the slug', () => ({ endpoint: posts.getPost, params: { slug: draft.slug } })],
])('shows the draft by %s', async (_, ask) => {
  const { endpoint, ...params } = { params: {}, ...ask() }
  const show = (token: string) => callPublic(endpoint, { ...params, headers: { 'Preview-Token': token } })
  chain.clock.nowMs += 60_000
  expect((await show('2.A')).status).toBe(404)
  chain.clock.nowMs += 60_000
  store.rotate('ClientKey')
  const expiresAt = Math.floor(chain.clock.nowMs / 1000) + 60
  expect((await show(sealPreview(draft, expiresAt, store.value('ClientKey')))).status).toBe(200)
})
