// Verifies a webhook over its raw bytes, and has the pages that it is about made again.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { revalidatePath } from 'next/cache'

const { WEBHOOK_SECRET } = process.env

export async function POST(request) {
  if (!WEBHOOK_SECRET) return new Response('WEBHOOK_SECRET is not set.', { status: 500 })
  const body = Buffer.from(await request.arrayBuffer())
  const expected = createHmac('sha256', WEBHOOK_SECRET).update(body).digest()
  const given = Buffer.from(request.headers.get('signature') ?? '', 'hex')
  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected)
  if (!isGenuine) return new Response(null, { status: 401 })
  const { slug, previous_slug } = JSON.parse(body.toString()).data
  for (const changed of [slug, previous_slug]) if (changed) revalidatePath(`/${changed}`)
  return new Response(null, { status: 204 })
}
