// The command line of the suite: its help, its words for what is wrong, and what it leaves behind.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adminCategories } from '../../shared/categories/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openServer } from '../smoke/server.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'
import { runMain } from './run-main.ts'

const world = useWorld()

function options(token = world.admin) {
  return [world.baseUrl, '--admin-token', token, '--limits-raised']
}

describe('npm run conformance', () => {
  it('prints its options for --help', async () => {
    const { code, text } = await runMain(['--help'])
    expect(code).toBe(0)
    for (const option of ['--admin-token', '--user-token', '--receiver-url', '--limits-raised', '--only']) {
      expect(text).toContain(option)
    }
  })

  it.each([
    ['no address', [], 'The address of the service is missing.'],
    ['an address without a scheme', ['example.com', '--admin-token', 'a'], 'begins with http:// or https://'],
    ['two addresses', ['http://a', 'http://b', '--admin-token', 'a'], 'There is one address'],
    ['no token', ['http://127.0.0.1:9'], '--admin-token TOKEN is missing.'],
    ['an unknown option', ['http://127.0.0.1:9', '--fast'], "Unknown option '--fast'"],
    ['an unknown part', ['http://a', '--admin-token', 'a', '--part', 'all'], '--part takes contract'],
    [
      'an account without password',
      ['http://a', '--admin-token', 'a', '--email', 'a@b.c'],
      'variable PASSWORD',
    ],
    ['an address where nothing answers', ['http://127.0.0.1:9', '--admin-token', 'a'], 'got no answer'],
  ])('explains %s', async (_, args, words) => {
    const { code, text } = await runMain(args)
    expect(text).toContain(words)
    expect(code).toBe(2)
  })

  it('explains an address where something else answers', async () => {
    const server = await openServer((_, response) => response.end('<p>Hello.</p>'))
    onTestFinished(server.stop)
    const { code, text } = await runMain([server.url, '--admin-token', 'a'])
    expect(text).toContain('nothing there speaks this API')
    expect(code).toBe(2)
  })

  it('explains a token that the service does not know, or that lacks an ability', async () => {
    expect((await runMain(options('unknown'))).text).toContain('does not know the token of --admin-token')
    const { id, token } = await world.create.user()
    expect((await runMain(options(token))).text).toContain('lacks the ability admin')
    const userToken = (await world.create.token(id, ['comments:write'])) ?? ''
    const wrongUser = await runMain([...options(), '--user-token', userToken])
    expect(wrongUser.text).toContain('--user-token lacks the ability user')
    const adminAsUser = await runMain([...options(), '--user-token', world.admin])
    expect(adminAsUser.text).toContain('--user-token has the ability admin')
    expect(adminAsUser.code).toBe(2)
  })

  it('accepts an address that ends with /api/v1/', async () => {
    const [url, ...rest] = options()
    const { code, text } = await runMain([`${url}/api/v1/`, ...rest, '--only', 'GET /health', '--all'])
    expect(text).toContain('✓ GET /health returns status')
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
    const { code, text } = await runMain([...options(), '--only', 'PATCH'])
    expect(code).toBe(0)
    expect(text).toMatch(/^Deleting \d+ records\.$/m)
    expect(await leftovers()).toEqual([])
  })

  it('that is interrupted deletes its records, and ends with 130', async () => {
    const { code, text } = await runMain(
      [...options(), '--part', 'contract'],
      {},
      {
        onLine: (line, interrupt) => line.startsWith('Category') && interrupt(),
      },
    )
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
    expect(files.length).toBeGreaterThan(30)
    expect(imports).toEqual([])
  })
})
