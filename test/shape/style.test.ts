// Checks the style that the linter does not: the width and length of comments, and hooks.
import { describe, expect, it } from 'vitest'
import { allFiles, type Source } from './sources.ts'

const WIDEST = 110
const MAX_LINES = 2

/** Files with a documented format, formula or drawing that needs more lines. */
const WITH_DRAWINGS = ['shared/table/kinds.ts']

/** Comments on lines of their own: lines with `//`, or a block between slashes and stars. */
const COMMENT = /^(?: *\/\/.*\n)+|^ *\/\*[\s\S]*?\*\//gm
/** Lines for tools, which no one reads as prose, have no part in it. */
const PROSE = /^(?! *\/\/ *(?:biome-ignore|@|#))[ /*]*[^ /*\n]/gm
/** The formatter breaks all other lines. */
const WIDE = new RegExp(`^(?=.{${WIDEST + 1}})(?: *(?://|/?\\*)|.*\\s// )`, 'gm')

function placesIn({ path, text }: Source, pattern: RegExp, isWrong = (_: string) => true): string[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: found, index }) =>
    isWrong(found) ? `${path}:${text.slice(0, index).split('\n').length}` : [],
  )
}

describe('comments', () => {
  it(`are at most ${WIDEST} characters wide`, () => {
    const wide = allFiles.flatMap(file => placesIn(file, WIDE))
    expect(wide, 'Use fewer words, or break the line.').toEqual([])
  })

  it(`have at most ${MAX_LINES} lines`, () => {
    const isLong = (comment: string) => (comment.match(PROSE)?.length ?? 0) > MAX_LINES
    const long = allFiles
      .filter(({ path }) => !WITH_DRAWINGS.includes(path))
      .flatMap(file => placesIn(file, COMMENT, isLong))
    expect(long, 'Give the reason in two lines; move the rest to the README of the room.').toEqual([])
  })
})

describe('a module that test files share', () => {
  it('has no hook of its own, which would run when the first of the files ends', () => {
    const hooks = allFiles
      .filter(({ path }) => !/\.(test|soak)\.ts$/.test(path))
      .flatMap(file => placesIn(file, /^(before|after)(All|Each)\(/gm))
    expect(hooks, 'Clean up in the function that the tests call, or in test/support/build.ts.').toEqual([])
  })
})
