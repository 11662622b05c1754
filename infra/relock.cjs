// Removes `engines` from package-lock.json: because of it, npm on Node 20 warns and skips optional packages,
// although every package runs on the Node that launch.cjs finds.
'use strict'
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const file = join(__dirname, '../package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const [path, entry] of Object.entries(lock.packages)) if (path) delete entry.engines
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
