// A write by a function's own role, and a path parameter that is not ASCII.
import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { type Check, didNotHold, held, heldUnless } from '../check.ts'
import { codeOf, envelopeOf, type HttpAnswer } from '../http.ts'
import type { ProvedStage } from '../stage.ts'

const CATEGORIES = '/api/v1/admin/categories'
const Category = z.object({ id: z.int(), slug: z.string() })
type Category = z.output<typeof Category>

/** A category is made by one transaction, and fires no event. */
async function createCategory(stage: ProvedStage, slug: string) {
  const body = JSON.stringify({ name: `prove ${slug}`, slug })
  const startedMs = performance.now()
  const answer = await stage.askAsAdmin('POST', CATEGORIES, { body })
  const tookMs = Math.round(performance.now() - startedMs)
  const { data, success } = Category.safeParse(envelopeOf(answer)?.data)
  const category = success && answer.status === 201 ? data : undefined
  if (category) stage.later(`the category ${category.id}`, () => deleteCategory(stage, category))
  return { answer, category, tookMs }
}

async function deleteCategory(stage: ProvedStage, { id }: Category): Promise<void> {
  const answer = await stage.askAsAdmin('DELETE', `${CATEGORIES}/${id}`)
  if (answer.status !== 204 && answer.status !== 200) throw new Error(codeOf(answer))
}

function mark(): string {
  return randomBytes(4).toString('hex')
}

export const WRITE_CHECK: Check = {
  name: 'LeadingKeys with Null:false on a transaction',
  did: `POST ${CATEGORIES} as an admin: TransactWriteItems by the role of the function admin-categories.`,
  expected: '201. If AWS leaves the key out of a transaction, the role allows no write: 500.',
  run: async stage => {
    const { answer, category, tookMs } = await createCategory(stage, `prove-${mark()}`)
    return category ? held(`201 after ${tookMs} ms`) : didNotHold(failureOf(answer))
  },
}

export const SLUG_CHECK: Check = {
  name: 'A slug in Devanagari',
  did: 'Created a category with such a slug, and read it by its encoded path.',
  expected: '200 with that slug: the gateway hands path parameters over encoded, and they are decoded once.',
  run: async stage => {
    const slug = `नमस्ते-${mark()}`
    const { answer: created, category } = await createCategory(stage, slug)
    if (!category) return didNotHold(failureOf(created))
    const answer = await stage.ask('GET', `/api/v1/categories/${encodeURIComponent(category.slug)}`)
    const read = Category.safeParse(envelopeOf(answer)?.data)
    const isSame = read.success && read.data.slug === slug
    return heldUnless(isSame ? [] : [`The answer is ${codeOf(answer)}.`], `200 with ${slug}`)
  },
}

function failureOf(answer: HttpAnswer): string {
  return `The answer is ${codeOf(answer)}, request ${answer.headers['x-request-id']}: read the log of admin-categories.`
}
