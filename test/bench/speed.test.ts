// The measurements of speed run on the service and count what its functions do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWN_CHECKOUT } from './checkout.ts'
import { functionNames } from './function-names.ts'
import { findEach, isFound, wordsOf } from './real/find-each.ts'
import { measureDeliveries } from './speed/deliveries.ts'
import { countReads, type Read } from './speed/reads.ts'
import { openSide, publish, type Side, send } from './speed/side.ts'
import { openTexts } from './speed/texts.ts'
import { countPublishes } from './speed/writes.ts'

let side: Side
beforeAll(async () => {
  side = openSide('now', OWN_CHECKOUT)
  Object.assign(side, await side.host.start({ isCounted: true }))
})
afterAll(async () => {
  await side.host.stop()
  await side.host.exit()
})

describe('the measurements of speed', () => {
  const textOf = openTexts()

  it('count the calls of a publish and of everything that follows it', async () => {
    const figures = await countPublishes(side, textOf, 2)
    const { 'publish.rounds': rounds = 0, 'publish.calls': own = 0, 'publish.all.calls': all = 0 } = figures
    expect(rounds).toBeGreaterThan(1)
    expect(own).toBeGreaterThanOrEqual(rounds)
    expect(all).toBeGreaterThan(own)
    expect(figures['publish.all.write']).toBeGreaterThan(figures['publish.own.write'] ?? 0)
  })

  it('count what a read costs after a change and when it is repeated', async () => {
    const { slug } = await publish(side, textOf())
    const read: Read = { name: 'GET /posts/{slug}', key: 'post', path: `posts/${slug}`, isConditional: true }
    const [cost] = await countReads(side, [read], () => publish(side, textOf()))
    expect(cost?.first.units).toBeGreaterThan(0)
    expect(cost?.repeated.units).toBeGreaterThan(0)
    expect(cost?.repeated.rounds).toBeGreaterThan(0)
    await expect(send(side, 'GET', 'posts/missing')).rejects.toThrow('404')
  })

  it('find a post by its words, and not by others', async () => {
    const post = { title: 'Fewer flamingos & more', body: '<p>An <b>botanist</b> writes.</p>' }
    const { slug } = await publish(side, post)
    const source = { ...post, slug, category: '', posted_at: '' }
    expect(wordsOf(source)).toEqual(['fewer', 'flamingos', 'more', 'botanist'])
    expect(await findEach(side, [source])).toEqual([])
    expect(await isFound(side, slug, ['flamingo', 'zebra'])).toBe(false)
  })

  it('count deliveries to several subscribers', async () => {
    const figures = await measureDeliveries(side, textOf, { subscribers: 3, events: 2, warm: 1 })
    expect(figures.rate).toBeGreaterThan(0)
    expect(figures.calls).toBeGreaterThan(1)
    expect(figures['event.read']).toBeGreaterThan(0)
  })
})

describe('functionNames', () => {
  it('finds the function of a logical id and of a thread, whose name is cut off', () => {
    const functionOf = functionNames(OWN_CHECKOUT)
    expect(functionOf('adminpostsC5D1A2B3')).toBe('admin-posts')
    expect(functionOf('postsF8358DF8')).toBe('posts')
    expect(functionOf('admincategories')).toBe('admin-categories')
    expect(functionOf('V8Worker')).toBeUndefined()
  })
})
