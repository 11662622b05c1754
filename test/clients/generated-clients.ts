// Generates clients from the API's document, compiles them, and has each log in, list, create and publish.
import { execFileSync, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { posts } from '../../shared/posts/contract.ts'
import { installPython } from '../support/python.ts'
import { FOLDER, runPackage, type Variables } from './run-package.ts'
import type { Stage } from './stage.ts'

const HERE = join(FOLDER, 'generated')
const GENERATED = join(HERE, '.generated')
const DOCUMENT = join(GENERATED, 'openapi.json')

const COMPILER_OPTIONS = [
  ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node'],
  ...['--module', 'preserve', '--moduleResolution', 'bundler', '--allowImportingTsExtensions'],
]

/** What each example prints at its end. */
type Printed = { user: string; total: number; slug: string; status: string }

type Command = { program: string; args: string[]; variables?: Variables }
type GeneratedClient = {
  name: string
  /** Generates and compiles. Returns how to run the example, or nothing if this machine cannot. */
  prepare(): Promise<Command | undefined>
}

async function bundled(example: string): Promise<Command> {
  const outfile = join(GENERATED, `${example}.mjs`)
  const entryPoints = [join(HERE, `${example}.ts`)]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  return { program: process.execPath, args: [outfile] }
}

async function compile(example: string): Promise<Command> {
  await runPackage('typescript/bin/tsc', [...COMPILER_OPTIONS, `${example}.ts`], HERE, {})
  return bundled(example)
}

export const GENERATED_CLIENTS: GeneratedClient[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    prepare: async () => {
      const types = join(GENERATED, 'openapi-fetch/api.d.ts')
      await runPackage('openapi-typescript/bin/cli.js', [DOCUMENT, '--output', types], HERE, {})
      return compile('openapi-fetch')
    },
  },
  {
    name: '@hey-api/openapi-ts',
    prepare: async () => {
      const args = ['--input', DOCUMENT, '--output', join(GENERATED, 'hey-api')]
      await runPackage('@hey-api/openapi-ts/bin/run.js', args, HERE, {})
      return compile('hey-api')
    },
  },
  {
    name: 'openapi-python-client',
    prepare: async () => {
      const requirements = join(HERE, 'requirements.txt')
      const scripts = installPython({ name: 'openapi-python-client', folder: 'clients-python', requirements })
      if (!scripts) return undefined
      const output = join(GENERATED, 'python')
      const args = ['generate', '--path', DOCUMENT, '--output-path', output]
      const flags = ['--overwrite', '--fail-on-warning']
      // It formats what it generates with ruff, which it looks for on the PATH.
      const env = { ...process.env, PATH: `${scripts}${delimiter}${process.env.PATH}` }
      const stdio: StdioOptions = ['ignore', 'ignore', 'inherit']
      execFileSync(join(scripts, 'openapi-python-client'), [...args, ...flags], { env, stdio })
      const python = join(scripts, 'python')
      const example = join(HERE, 'client.py')
      execFileSync(python, ['-m', 'compileall', '-q', output], { stdio: 'inherit' })
      return { program: python, args: ['-B', example], variables: { PYTHONPATH: output } }
    },
  },
]

async function outputOf({ program, args, variables }: Command, forAll: Variables): Promise<string> {
  const env = { ...process.env, ...forAll, ...variables }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (status !== 0) throw new Error(`${args.at(-1)} ended with status ${status}.`)
  return output
}

/** Returns what is wrong, or undefined if this machine cannot run the client. */
export async function useGenerated(client: GeneratedClient, stage: Stage): Promise<string[] | undefined> {
  const { service, call, admin } = stage
  const { baseUrl, email, password } = service
  await rm(GENERATED, { recursive: true, force: true })
  await mkdir(GENERATED, { recursive: true })
  await writeFile(DOCUMENT, await (await fetch(`${baseUrl}/openapi.json`)).text())
  // Before a generator blocks this process, in which time the service closes the connection.
  const before = (await call(posts.listPosts)).pagination.total
  const command = await client.prepare()
  if (!command) return undefined
  const variables = { API: baseUrl, EMAIL: email, PASSWORD: password, ADMIN_TOKEN: admin }
  const printed: Printed = JSON.parse(await outputOf(command, variables))
  const shown = await call(posts.getPost, { params: { slug: printed.slug } })
  return [
    ...(printed.user === email ? [] : [`it logged in as ${printed.user}`]),
    ...(printed.total === before ? [] : [`it listed ${printed.total} posts of ${before}`]),
    ...(printed.status === 'published' ? [] : [`its post is ${printed.status}`]),
    ...(shown.status === 200 ? [] : [`its post is answered with ${shown.status}`]),
  ]
}
