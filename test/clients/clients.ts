// Builds the same posts with site builders at the normal limits, as their users would, and counts requests.
// Run: npm run test:clients -- [--only NAME] [--count 1049] [--posts posts.jsonl.gz]
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildTwice } from './build-twice.ts'
import { openContent, writeExport } from './content.ts'
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

/** Each returns what is wrong. */
const CLIENTS: Record<string, (stage: Stage) => Promise<string[]>> = Object.fromEntries(
  SITE_BUILDERS.map(builder => [builder.name, (stage: Stage) => buildTwice(builder, stage)]),
)

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
    for (const [name, check] of Object.entries(CLIENTS)) {
      if (!name.toLowerCase().includes(options.only.toLowerCase())) continue
      const faults = await check(stage)
      console.log(`${name}: ${faults.length === 0 ? 'right' : ['wrong', ...faults].join('\n  ')}`)
      if (faults.length > 0) process.exitCode = 1
    }
  } finally {
    await stage.stop()
    await rm(folder, { recursive: true })
  }
}

await main()
