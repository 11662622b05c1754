// Builds the same posts with Eleventy and Astro as their users would, and compares the pages with the posts.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adminPosts } from '../../shared/posts/contract.ts'
import { startService } from '../fuzz/service.ts'
import { callAt } from '../world/call.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
/** More than one answer of the list, and more than an address may read in a minute. */
const POSTS = 70

type Page = { slug: string; title: string; body: string }
type Build = (output: string, variables: Record<string, string>) => Promise<void>

function packaged(script: string): string {
  return join(FOLDER, 'node_modules', script)
}

async function run(script: string, args: string[], cwd: string, variables: Record<string, string>) {
  const child = spawn(process.execPath, [packaged(script), ...args], {
    cwd,
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', ...variables },
    stdio: ['ignore', process.env.VERBOSE ? 'inherit' : 'ignore', 'inherit'],
  })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${script} ended with status ${status}. VERBOSE=1 shows its output.`)
}

const BUILDS: Record<string, Build> = {
  'Eleventy 3': (output, variables) =>
    run('@11ty/eleventy/cmd.cjs', ['--input=.', `--output=${output}`], join(FOLDER, 'eleventy'), variables),
  'Astro 5': (output, variables) =>
    run('astro/astro.js', ['build', '--outDir', output], join(FOLDER, 'astro'), variables),
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

/** Each post has its page, with its title and its body byte for byte but for white space. */
async function faultsIn(output: string, pages: Page[]): Promise<string[]> {
  const faults = await Promise.all(
    pages.map(async ({ slug, title, body }) => {
      const file = join(output, slug, 'index.html')
      if (!existsSync(file)) return [`${slug} has no page`]
      const html = withoutSpace(await readFile(file, 'utf8'))
      return [title, body].flatMap(part =>
        html.includes(withoutSpace(part)) ? [] : [`${slug} lacks ${part}`],
      )
    }),
  )
  return faults.flat()
}

async function main(): Promise<void> {
  if (!existsSync(packaged('astro'))) {
    console.log('Installing the clients (170 MB) …')
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' })
  }
  const service = await startService()
  try {
    const token = service.token('a build')
    const call = callAt(service.baseUrl)
    const pages: Page[] = Array.from({ length: POSTS }, (_, n) => ({
      slug: `client-${n}`,
      title: `Post ${n}`,
      body: `<p>Body ${n} with <em>Grüße</em> &amp; {{ braces }}.</p>`,
    }))
    for (const page of pages) {
      await call(adminPosts.createPost, { token, body: { ...page, is_published: true } })
    }
    for (const [name, build] of Object.entries(BUILDS)) {
      const output = join(service.folder, name.replaceAll(' ', '-'))
      await build(output, { API: service.baseUrl, TOKEN: token })
      const faults = await faultsIn(output, pages)
      console.log(`${name}: ${faults.length === 0 ? `${pages.length} pages are right` : faults.join('\n')}`)
      if (faults.length > 0) process.exitCode = 1
    }
  } finally {
    await service.stop()
  }
}

await main()
