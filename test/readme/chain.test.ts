// Checks that functions/README.md shows the chain of every request as serve.ts builds it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROJECT, readmeAt } from './readmes.ts'

const serve = readFileSync(join(PROJECT, 'shared/lambda/serve.ts'), 'utf8')
const steps = [...serve.matchAll(/(?:startChain|\.step)\((?:\{ before: (?:context => )?)?(\w+)/g)].map(
  ([, name = '']) => name,
)

describe('the steps of serve.ts', () => {
  it('are found', () => {
    expect(steps).toEqual(expect.arrayContaining(['report', 'answer']))
  })

  it('are the rows of the table in functions/README.md, in the same order', () => {
    const [, table = ''] = readmeAt('functions/README.md').text.split('| step |')
    const rows = [...table.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(steps)
  })
})
