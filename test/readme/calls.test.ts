// Reads every call of a command line that a README names with the parser of that command line, and runs none.
import { describe, expect, it } from 'vitest'
import { readOptions as readStartOptions } from '../../infra/local/start-options.ts'
import { readCommandLine } from '../../infra/operator/command-line.ts'
import { readOptions as readConformanceOptions } from '../conformance/options.ts'
import { allCommandsOf, READMES, type Readme } from './readmes.ts'

/** By what a call begins with: fails on words that the command line does not take. */
const PARSERS: Record<string, (args: string[]) => void> = {
  'npm run operator -- ': args => void readCommandLine(args),
  'npm start -- ': args => void readStartOptions(args),
  'npm run conformance -- ': args =>
    void readConformanceOptions(args, { PASSWORD: 'given', ADMIN_TOKEN: 'given' }),
}

/** A value that a reader replaces, such as a number, is one that the parser takes. */
const VALUES: Record<string, string> = { URL: 'http://127.0.0.1:3000', SEED: '7' }

function callsIn(readme: Readme, program: string): string[] {
  return allCommandsOf(readme).flatMap(command => {
    const [, call] = command.split(program)
    return call === undefined ? [] : [call]
  })
}

/** Without what the shell does with the output. */
function wordsOf(call: string): string[] {
  const [command = ''] = call.split(/ [|>&]/)
  return [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? VALUES[word] ?? word)
}

function problemsOf(call: string, parse: (args: string[]) => void): string[] {
  try {
    parse(wordsOf(call))
    return []
  } catch (error) {
    return [`${call}: ${error}`]
  }
}

describe.each(Object.entries(PARSERS))('%s', (program, parse) => {
  it('is called in the READMEs with commands and options that it has', () => {
    const calls = READMES.flatMap(readme => callsIn(readme, program))
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.flatMap(call => problemsOf(call, parse))).toEqual([])
  })
})
