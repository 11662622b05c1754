// The recipes of builders.md, each sent as a burst to a fixture of what its builder accepts.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { WebhookInput } from '../../shared/webhooks/inputs.ts'
import { webhookView } from '../../shared/webhooks/webhook.ts'
import { use } from '../support/use.ts'
import { openBurstWorld } from './burst-world.ts'
import { openRecorder, type RecordedDelivery } from './recording.ts'

const page = readFileSync(new URL('../../shared/webhooks/builders.md', import.meta.url), 'utf8')
const recipes = new Map(
  page.split('\n## ').flatMap(section => {
    const [, json] = /```json\n([\s\S]+?)```/.exec(section) ?? []
    return json === undefined ? [] : [[section.split('\n', 1)[0] ?? '', JSON.parse(json)] as const]
  }),
)

type Request = { path: string; headers: RecordedDelivery['headers']; body: unknown }

const Basic = z.object({ authorization: z.literal(`Basic ${Buffer.from('bot:token').toString('base64')}`) })
const Json = z.object({ 'content-type': z.literal('application/json'), 'content-length': z.string() })
const Batch = z.object({
  event: z.literal('batch'),
  data: z.object({ count: z.literal(2), cursor: z.string() }),
})

/** What each takes, by its documentation: the path, the headers and the body of the POST. */
const BUILDERS: Record<string, { path: RegExp; headers?: z.ZodMiniType; body?: z.ZodMiniType }> = {
  Netlify: { path: /^\/build_hooks\/\w+$/, body: Batch },
  Vercel: { path: /^\/v1\/integrations\/deploy\/prj_\w+\/\w+$/ },
  'Cloudflare Pages': { path: /^\/client\/v4\/pages\/webhooks\/deploy_hooks\/\w+$/ },
  'GitHub Actions': {
    path: /^\/repos\/[\w-]+\/[\w-]+\/dispatches$/,
    headers: z.object({
      authorization: z.string().check(z.regex(/^Bearer \w+$/)),
      accept: z.literal('application/vnd.github+json'),
      'user-agent': z.string().check(z.minLength(1)),
    }),
    // No others, and at most ten members in `client_payload`.
    body: z.strictObject({
      event_type: z.string().check(z.minLength(1), z.maxLength(100)),
      client_payload: z.strictObject({ cursor: z.string(), count: z.literal(2) }),
    }),
  },
  GitLab: { path: /^\/api\/v4\/projects\/\d+\/ref\/\w+\/trigger\/pipeline\?token=[\w-]+$/, body: Batch },
  Jenkins: { path: /^\/job\/\w+\/build$/, headers: Basic },
  n8n: { path: /^\/webhook\/\w+$/, headers: Basic, body: z.object({ changed: Batch }) },
}

const world = use(openBurstWorld)

/** The request that a recipe makes of two events. */
async function requestOf(recipe: unknown): Promise<Request & { shown: string }> {
  const receiver = await openRecorder()
  const { url, ...options } = WebhookInput.parse(recipe)
  const { pathname, search } = new URL(url)
  const webhook = await world.subscribe(receiver.url(pathname.slice(1) + search), options)
  for (let n = 0; n < 2; n++) world.fire()
  await world.advance(60_000)
  const [sent] = receiver.recorded
  if (!sent || receiver.recorded.length > 1) throw new Error(`${receiver.recorded.length} requests came.`)
  await world.removeAll()
  const shown = JSON.stringify([webhookView(webhook), webhook])
  return { path: sent.url, headers: sent.headers, body: JSON.parse(sent.body), shown }
}

describe('a recipe', () => {
  it('is there for each builder', () => {
    expect([...recipes.keys()]).toEqual(Object.keys(BUILDERS))
  })

  it.each(Object.entries(BUILDERS))('starts a build of %s', async (name, { path, headers, body }) => {
    const request = await requestOf(recipes.get(name))
    expect(request.path).toMatch(path)
    Json.parse(request.headers)
    headers?.parse(request.headers)
    body?.parse(request.body)
    for (const value of Object.values(Object(recipes.get(name)).headers ?? {})) {
      expect(request.shown).not.toContain(value)
    }
  })
})
