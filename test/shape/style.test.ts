// Checks the style that the linter does not: the width and length of comments, and hooks.
import { describe, expect, it } from 'vitest'
import { commentsIn, wideComments } from './comments.ts'
import { allFiles } from './sources.ts'

const WIDEST = 110
const MAX_LINES = 2

/** Files with a documented format, formula or drawing that needs more lines. */
const WITH_DRAWINGS = ['shared/table/kinds.ts']

describe('comments', () => {
  it(`are at most ${WIDEST} characters wide`, () => {
    const wide = allFiles.flatMap(({ path, text }) =>
      wideComments(text, WIDEST).map(line => `${path}:${line}`),
    )
    expect(wide, 'Use fewer words, or break the line.').toEqual([])
  })

  it(`have at most ${MAX_LINES} lines`, () => {
    const long = allFiles
      .filter(({ path }) => !WITH_DRAWINGS.includes(path))
      .flatMap(({ path, text }) =>
        commentsIn(text)
          .filter(({ prose }) => prose.length > MAX_LINES)
          .map(({ line }) => `${path}:${line}`),
      )
    expect(long, 'Give the reason in two lines; move the rest to the README of the room.').toEqual([])
  })
})

describe('a module that test files share', () => {
  it('has no hook of its own, which would run when the first of the files ends', () => {
    const hooks = allFiles.flatMap(({ path, text }) =>
      /\.(test|soak)\.ts$/.test(path)
        ? []
        : (text.match(/^(before|after)(All|Each)\(/gm) ?? []).map(() => path),
    )
    expect(hooks, 'Clean up in the function that the tests call, or in test/support/build.ts.').toEqual([])
  })
})
