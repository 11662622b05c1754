// node test/import/run.ts --file posts.jsonl.gz [--base-url URL --token T | --service .local/service.json]
// Imports the posts of a file into a running service, and checks that each was stored and announced.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import * as z from 'zod/mini'
import { prove } from './prove.ts'
import { readPosts } from './source.ts'

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    'base-url': { type: 'string' },
    token: { type: 'string' },
    service: { type: 'string', default: '.local/service.json' },
  },
})
if (!values.file) throw new Error('--file FILE.jsonl.gz is missing.')
const Service = z.object({ baseUrl: z.string(), adminToken: z.string() })
const { 'base-url': urlOption, token: tokenOption } = values
const { baseUrl, adminToken } =
  urlOption && tokenOption
    ? { baseUrl: urlOption, adminToken: tokenOption }
    : Service.parse(JSON.parse(await readFile(values.service, 'utf8')))
const result = await prove(await readPosts(values.file), { baseUrl, token: adminToken, log: console.error })
console.log(JSON.stringify({ ...result, problems: result.problems.slice(0, 20) }, null, 2))
process.exitCode = result.problems.length === 0 ? 0 : 1
