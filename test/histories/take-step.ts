// Takes a step of a history, on the service and on the model.
import { expect } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import type { Model, PostMembers } from './model.ts'
import { START_MS, type Step, type StepMembers } from './steps.ts'
import type { HistoryWorld } from './world.ts'

export async function takeStep(world: HistoryWorld, model: Model, step: Step): Promise<void> {
  const { call } = world
  if ('create' in step) {
    for (const { title, members } of step.create) await createOne(world, model, { title, ...members })
    return
  }
  if ('change' in step) {
    for (const id of idsOf(model, [step.nth])) await changeOne(world, model, id, step.change)
    return
  }
  if ('publish' in step) {
    for (const id of idsOf(model, step.publish)) {
      expect(await call(adminPosts.publishPost, { params: { id } })).toMatchObject({ status: 200 })
      model.change(id, { isPublished: true })
    }
    return
  }
  if ('unpublish' in step) {
    for (const id of idsOf(model, step.unpublish)) {
      expect(await call(adminPosts.unpublishPost, { params: { id } })).toMatchObject({ status: 200 })
      model.change(id, { isPublished: false })
    }
    return
  }
  if ('remove' in step) {
    for (const id of idsOf(model, step.remove)) {
      expect(await call(adminPosts.deletePost, { params: { id } })).toMatchObject({ status: 200 })
      model.remove(id)
    }
    return
  }
  if ('advanceMs' in step) {
    for (const clock of [world, model]) clock.advance(step.advanceMs)
    return
  }
  if ('catchUp' in step) {
    await world.catchUp()
    return model.announceDue()
  }
  await takeCategoryStep(world, model, step)
}

type CategoryStep = Extract<
  Step,
  { newCategory: string } | { renameCategory: string } | { removeCategory: number }
>

async function takeCategoryStep({ call }: HistoryWorld, model: Model, step: CategoryStep): Promise<void> {
  const all = model.categories()
  if ('newCategory' in step) {
    const body = { name: step.newCategory, ...(step.slug !== null && { slug: step.slug }) }
    const answer = await call(adminCategories.createCategory, { body })
    if (step.slug !== null && model.isCategorySlugTaken(step.slug)) return expect(answer.status).toBe(422)
    const { id, name, slug, posts_count } = answer.read()
    expect([answer.status, posts_count, model.isCategorySlugTaken(slug)]).toEqual([201, 0, false])
    return model.saveCategory({ id, name, slug, description: '' })
  }
  const category = all[('renameCategory' in step ? step.nth : step.removeCategory) % all.length]
  if (!category) return
  const params = { id: category.id }
  if ('removeCategory' in step) {
    expect(await call(adminCategories.deleteCategory, { params })).toMatchObject({ status: 200 })
    return model.removeCategory(category.id)
  }
  const body = { name: step.renameCategory, ...(step.slug !== null && { slug: step.slug }) }
  const { status } = await call(adminCategories.changeCategory, { params, body })
  if (step.slug !== null && model.isCategorySlugTaken(step.slug, category.id)) return expect(status).toBe(422)
  expect(status).toBe(200)
  model.saveCategory({ ...category, ...body })
}

async function createOne({ call }: HistoryWorld, model: Model, stepMembers: StepMembers & { title: string }) {
  const members = membersOf(model, stepMembers)
  const answer = await call(adminPosts.createPost, { body: bodyOf(members) })
  if (members.slug !== undefined && model.isSlugTaken(members.slug)) return expect(answer.status).toBe(422)
  expect(answer.status).toBe(201)
  const { id, slug } = answer.read()
  expect(model.isSlugTaken(slug)).toBe(false)
  model.create(id, { ...members, title: stepMembers.title, slug: members.slug ?? slug })
}

async function changeOne({ call }: HistoryWorld, model: Model, id: number, stepMembers: StepMembers) {
  const members = membersOf(model, stepMembers)
  const { status } = await call(adminPosts.changePost, { params: { id }, body: bodyOf(members) })
  if (members.slug !== undefined && model.isSlugTaken(members.slug, id)) return expect(status).toBe(422)
  expect(status).toBe(200)
  model.change(id, members)
}

function idsOf(model: Model, nths: number[]): number[] {
  const ids = model.posts().map(({ id }) => id)
  return [...new Set(nths.flatMap(nth => ids[nth % ids.length] ?? []))]
}

function membersOf(model: Model, { at, categories, ...others }: StepMembers): Partial<PostMembers> {
  const ids = model.categories().map(({ id }) => id)
  const picked = categories?.flatMap(nth => ids[nth % ids.length] ?? [])
  return {
    ...others,
    ...(at !== undefined && { at: at && secondsOf(model, at) }),
    ...(picked && { categoryIds: [...new Set(picked)] }),
  }
}

function secondsOf(model: Model, at: { fromNow: number } | { fromStart: number }): number {
  return 'fromNow' in at ? model.nowSeconds() + at.fromNow : Math.floor(START_MS / 1000) + at.fromStart
}

/** The body of the request. Its date has a fraction of a second, which the service drops. */
function bodyOf({ title, slug, summary, kind, isPublished, at, categoryIds }: Partial<PostMembers>) {
  return {
    title,
    slug,
    short_description: summary,
    content_type: kind,
    is_published: isPublished,
    posted_at: at == null ? at : new Date(at * 1000 + 999).toISOString(),
    category_ids: categoryIds,
  }
}
