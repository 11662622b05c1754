// What admins read shows the latest name of an author, also of one whom no public post shows.
import { expect, it } from 'vitest'
import { me } from '../../shared/accounts/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { callOf, openChain } from '../support/chain.ts'
import { contentIsRemembered } from '../support/remembered.ts'
import { use } from '../support/use.ts'

const callAdmin = callOf((await import('../../functions/admin.ts')).handler)
const callMe = callOf((await import('../../functions/me.ts')).handler)
const chain = use(openChain)

it('shows the new name of the author of a draft in the next read', async () => {
  setRuntime(chain.runtime)
  const { token } = await chain.user(['admin', 'user'])
  const made = await callAdmin(adminPosts.createPost, { token, body: { title: 'Draft' } })
  const { id } = JSON.parse(made.text).data
  const names = async () => {
    const list = await callAdmin(adminPosts.listPosts, { token })
    const post = await callAdmin(adminPosts.getPost, { token, params: { id } })
    return [...JSON.parse(list.text).data, JSON.parse(post.text).data].map(({ author }) => author.name)
  }
  await contentIsRemembered(chain.table, chain.clock.nowMs)
  await names()
  await callMe(me.changeMe, { token, body: { name: 'Renamed' } })
  expect(await names()).toEqual(['Renamed', 'Renamed'])
})
