// The command line of the suite: its help, its words for what is wrong, and what it leaves behind.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'
import { runMain } from './run-main.ts'

const world = useWorld()

const OPTIONS = ['--limits-raised']

/** Runs the suite on the service of the test. */
function check(args: string[], env: Record<string, string> = {}, more: Parameters<typeof runMain>[2] = {}) {
  return runMain([world.baseUrl, ...OPTIONS, ...args], { ADMIN_TOKEN: world.admin, ...env }, more)
}

describe('npm run conformance', () => {
  it('prints its options for --help', async () => {
    const { code, text } = await runMain(['--help'])
    expect(code).toBe(0)
    const options = 'ADMIN_TOKEN USER_TOKEN --admin-token --receiver-url --limits-raised --only'
    for (const option of options.split(' ')) expect(text).toContain(option)
  })

  it.each<[what: string, args: string[], words: string, token?: string]>([
    ['no address', [], 'The address of the service is missing.'],
    ['an address without a scheme', ['example.com'], 'begins with http:// or https://'],
    ['two addresses', ['http://a', 'http://b'], 'There is one address'],
    ['an unknown option', ['http://127.0.0.1:9', '--fast'], "Unknown option '--fast'"],
    ['an account without password', ['http://a', '--email', 'a@b.c'], 'variable PASSWORD'],
    ['an address where nothing answers', ['http://127.0.0.1:9'], 'got no answer'],
    ['a missing token', ['http://127.0.0.1:9'], 'The variable ADMIN_TOKEN is missing.', ''],
  ])('explains %s', async (_, args, words, token = 'a') => {
    const { code, text } = await runMain(args, { ADMIN_TOKEN: token })
    expect(text).toContain(words)
    expect(code).toBe(2)
  })

  it('takes the tokens of the variables, and warns of tokens that other users can see', async () => {
    const only = ['--only', '/health']
    const { token } = await world.create.user()
    const quiet = await check(only, { USER_TOKEN: token })
    expect(quiet).toMatchObject({ code: 0, text: expect.not.stringContaining('list of processes') })
    for (const [option, visible] of Object.entries({ '--admin-token': world.admin, '--user-token': token })) {
      const warned = await check([...only, option, visible])
      expect(warned).toMatchObject({ code: 0, text: expect.stringContaining('list of processes') })
      expect(warned.text).not.toContain(visible)
    }
  })

  it('explains an address where something else answers', async () => {
    const server = await openServer((_, response) => response.end('<p>Hello.</p>'))
    onTestFinished(server.stop)
    const { code, text } = await runMain([server.url], { ADMIN_TOKEN: 'a' })
    expect(text).toContain('nothing there speaks this API')
    expect(code).toBe(2)
  })

  it('explains a token that the service does not know, or that lacks an ability', async () => {
    expect((await check([], { ADMIN_TOKEN: 'unknown' })).text).toContain('does not know the admin token')
    const { id, token } = await world.create.user()
    expect((await check([], { ADMIN_TOKEN: token })).text).toContain('lacks the ability admin')
    const userToken = (await world.create.token(id, ['comments:write'])) ?? ''
    const wrongUser = await check([], { USER_TOKEN: userToken })
    expect(wrongUser.text).toContain('The user token (USER_TOKEN) lacks the ability user')
    const adminAsUser = await check([], { USER_TOKEN: world.admin })
    expect(adminAsUser.text).toContain('The user token (USER_TOKEN) has the ability admin')
    expect(adminAsUser.code).toBe(2)
  })

  it('accepts an address that ends with /api/v1/', async () => {
    const args = [`${world.baseUrl}/api/v1/`, ...OPTIONS, '--only', '/health', '--all']
    const { code, text } = await runMain(args, { ADMIN_TOKEN: world.admin })
    expect(text).toContain('✓ | GET | `/api/v1/health`')
    expect(code).toBe(0)
  })
})

/** The names of all records of the suite that are there. */
async function leftovers(): Promise<string[]> {
  const token = world.admin
  const posts = (await world.call(adminPosts.listPosts, { token, query: { per_page: 100 } })).data
  const categories = (await world.call(adminCategories.listCategories, { token })).data
  const webhooks = (await world.call(adminWebhooks.listWebhooks, { token })).data
  const names = [...posts.map(({ title }) => title), ...[...categories, ...webhooks].map(({ name }) => name)]
  return names.filter(name => name.startsWith('Conformance '))
}

describe('a run', () => {
  it('leaves no record and no token behind', async () => {
    const { code, text } = await check(['--only', 'PATCH'])
    expect(code).toBe(0)
    expect(text).toMatch(/^Deleting \d+ records\.$/m)
    expect(await leftovers()).toEqual([])
  })

  it('that is interrupted deletes its records, and ends with 130', async () => {
    const onLine = (line: string, interrupt: () => void) => line.startsWith('Category') && interrupt()
    const { code, text } = await check([], {}, { onLine })
    expect(text).toContain('Deleting what was created')
    expect(code).toBe(130)
    expect(await leftovers()).toEqual([])
    await until('the queues to be empty', world.isIdle)
  })
})

describe('the files of the suite', () => {
  it('import nothing of the service, and no package', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(file =>
      /^(?!faults\/)(?!run-main).*(?<!\.test)\.ts$/.test(file),
    )
    const imports = files.flatMap(file =>
      [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/ from '([^']+)'/g)]
        .map(([, from = '']) => from)
        .filter(from => !from.startsWith('node:'))
        .filter(from => !from.startsWith('.') || join(dirname(file), from).startsWith('..'))
        .map(from => `${file} imports ${from}`),
    )
    expect(files.length).toBeGreaterThan(25)
    expect(imports).toEqual([])
  })
})
