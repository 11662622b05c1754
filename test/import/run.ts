// node test/import/run.ts --file posts.jsonl.gz [--base-url URL (and TOKEN) | --service .local/service.json]
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
    service: { type: 'string', default: '.local/service.json' },
  },
})
if (!values.file) throw new Error('--file FILE.jsonl.gz is missing.')
const Service = z.object({ baseUrl: z.string(), adminToken: z.string() })
const { 'base-url': urlOption } = values
const { TOKEN: token } = process.env
const { baseUrl, adminToken } =
  urlOption && token
    ? { baseUrl: urlOption, adminToken: token }
    : Service.parse(JSON.parse(await readFile(values.service, 'utf8')))
const result = await prove(await readPosts(values.file), { baseUrl, token: adminToken, log: console.error })
console.log(JSON.stringify({ ...result, problems: result.problems.slice(0, 20) }, null, 2))
process.exitCode = result.problems.length === 0 ? 0 : 1
