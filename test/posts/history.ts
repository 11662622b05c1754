// One step of a history: what a caller or the clock does, to the service and to the model alike.
import fc from 'fast-check'
import { createCategory, deleteCategory } from '../../shared/categories/change.ts'
import { startWork, type Work } from '../../shared/lambda/work.ts'
import { announceDue } from '../../shared/posts/announce.ts'
import { changePost, deletePost } from '../../shared/posts/change.ts'
import { createPost } from '../../shared/posts/create.ts'
import type { PostChange } from '../../shared/posts/fields.ts'
import { changed, published, unpublished } from '../../shared/posts/post.ts'
import { listComingDue } from '../../shared/posts/scheduled.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Change, Model, ModelPost } from './model.ts'

const nth = fc.nat(1_000)
const title = fc.constantFrom('Apple', 'apple', 'Éclair', 'eclair', 'Zebra', '東京', '🚀 away', 'B', 'b2')
/** Seconds from now; many are equal, so that ids decide. */
const when = fc.constantFrom(-86_400, -60, -60, -1, 0, 5, 5, 60, 86_400)
const cats = fc.array(nth, { maxLength: 4 })

export const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      title,
      type: fc.constantFrom<ModelPost['type']>('post', 'post', 'page'),
      published: fc.boolean(),
      when: fc.option(when),
      cats,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), nth, title }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('publish' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unpublish' as const), nth }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reschedule' as const), nth, when }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('recategorise' as const), nth, cats }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retype' as const), nth }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('newCategory' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteCategory' as const), nth }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 5, 60) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
)
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const anyVersion = () => undefined

export const act = async (table: Table, model: Model, step: Step): Promise<void> => {
  const work = workAt(table, model.now)
  if (step.do === 'create') return await create(work, model, step)
  if (step.do === 'newCategory') {
    const { data } = await createCategory(work, { name: 'Category', description: '' })
    return void model.categories.add(data.id)
  }
  if (step.do === 'deleteCategory') {
    const id = pick([...model.categories], step.nth)
    if (id === undefined) return
    await deleteCategory(work, { id, requireMatch: anyVersion })
    return model.removeCategory(id)
  }
  if (step.do === 'wait') return model.wait(step.seconds)
  if (step.do === 'sweep') {
    for (const { id, posted_at } of await listComingDue(table, model.now, 1_000))
      await announceDue(work, { kind: 'due', post_id: id, posted_at })
    return model.announceDue()
  }
  const id = pick([...model.posts.keys()], step.nth)
  if (id !== undefined) await changeOne(work, model, id, step)
}

/** The queue is out of reach: what is told stays in the outbox, where the test counts it. */
const workAt = (table: Table, now: number): Work =>
  startWork({
    table,
    sender: { send: async messages => messages.map(() => ({ ok: false })) },
    nowMs: now * 1000,
    requestId: 'history',
    siteUrl: async () => 'https://site.example',
    log: () => undefined,
  })

const create = async (
  work: Work,
  model: Model,
  { title, type, published, when, cats }: Extract<Step, { do: 'create' }>,
) => {
  const change = {
    title,
    type,
    published,
    at: when === null ? null : model.now + when,
    cats: pickSome(model, cats),
  }
  const { data } = await createPost(work, inputOf(change), 1)
  model.create(data.id, change)
}

type OnOne = Exclude<Step, { do: 'create' | 'newCategory' | 'deleteCategory' | 'wait' | 'sweep' }>

const changeOne = async (work: Work, model: Model, id: number, step: OnOne): Promise<void> => {
  if (step.do === 'delete') {
    await deletePost(work, id, anyVersion)
    return model.remove(id)
  }
  if (step.do === 'publish' || step.do === 'unpublish') {
    const rule = step.do === 'publish' ? published : unpublished
    await changePost(work, { id, requireMatch: anyVersion, rule: (post, _body, now) => rule(post, now) })
    return model.change(id, { published: step.do === 'publish' })
  }
  const change = changeOf(model, id, step)
  const members = inputOf(change)
  await changePost(work, {
    id,
    requireMatch: anyVersion,
    change: members,
    rule: (post, body, now) => changed(post, members, body, now),
  })
  model.change(id, change)
}

const changeOf = (
  model: Model,
  id: number,
  step: Exclude<OnOne, { do: 'delete' | 'publish' | 'unpublish' }>,
): Change => {
  if (step.do === 'edit') return { title: step.title }
  if (step.do === 'reschedule') return { at: model.now + step.when }
  if (step.do === 'recategorise') return { cats: pickSome(model, step.cats) }
  return { type: model.posts.get(id)?.type === 'post' ? 'page' : 'post' }
}

const inputOf = <C extends Change>({
  title,
  type,
  published,
  at,
  cats,
}: C): PostChange & { title: C['title'] } => ({
  title,
  ...(type && { content_type: type }),
  ...(published !== undefined && { is_published: published }),
  ...(at !== undefined && { posted_at: at }),
  ...(cats && { category_ids: cats }),
})

const pick = <T>(all: T[], nth: number): T | undefined => all[nth % all.length]
const pickSome = (model: Model, nths: number[]): number[] => [
  ...new Set(nths.flatMap(nth => pick([...model.categories], nth) ?? [])),
]
