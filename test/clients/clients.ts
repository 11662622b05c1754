// Site builders build the same posts at the normal limits; generated clients compile, and create a post.
// Run: npm run test:clients -- [--only NAME] [--count 1049] [--posts posts.jsonl.gz]
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildTwice } from './build-twice.ts'
import { openContent, writeExport } from './content.ts'
import { GENERATED_CLIENTS, useGenerated } from './generated-clients.ts'
import { pushPosts } from './push-posts.ts'
import { FOLDER } from './run-package.ts'
import { isInstalled, SITE_BUILDERS } from './sites.ts'
import { openStage, type Stage } from './stage.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    count: { type: 'string', default: '1049' },
    posts: { type: 'string' },
  },
})

type Client = {
  name: string
  /** Returns what is wrong, or undefined if this machine cannot run the client. */
  faultsWith(stage: Stage, folder: string): Promise<string[] | undefined>
}

const CLIENTS: Client[] = [
  ...SITE_BUILDERS.map(builder => ({
    name: builder.name,
    faultsWith: (stage: Stage) => buildTwice(builder, stage),
  })),
  ...GENERATED_CLIENTS.map(client => ({
    name: client.name,
    faultsWith: (stage: Stage) => useGenerated(client, stage),
  })),
  // Last, because it adds posts.
  { name: 'Batches', faultsWith: pushPosts },
]

async function main(): Promise<void> {
  if (!isInstalled()) {
    console.log('Installing the clients (540 MB) …')
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' })
  }
  const folder = await mkdtemp(join(tmpdir(), 'clients-'))
  const file = join(folder, 'posts.jsonl')
  const content = await openContent(Number(options.count), options.posts)
  await writeExport(file, content)
  const stage = await openStage(content, file)
  try {
    for (const { name, faultsWith } of CLIENTS) {
      if (!name.toLowerCase().includes(options.only.toLowerCase())) continue
      const faults = await faultsWith(stage, folder)
      if (!faults) continue
      console.log(`${name}: ${faults.length === 0 ? 'right' : ['wrong', ...faults].join('\n  ')}`)
      if (faults.length > 0) process.exitCode = 1
    }
  } finally {
    await stage.stop()
    await rm(folder, { recursive: true })
  }
}

await main()
