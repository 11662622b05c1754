// Finds the comments of a source file, line by line: enough for formatted code without comments in strings.
export type Comment = {
  /** The number of its first line, from 1. */
  line: number
  /** Its lines without `//`, `/**` and `*`, without empty lines. */
  prose: string[]
}

/** Lines for tools, which no one reads as prose. */
const DIRECTIVE = /^\s*\/\/\s*(?:biome-ignore|@|eslint|#)/

/** Comments on lines of their own: runs of `//` lines, and blocks between slashes and stars. */
export function commentsIn(text: string): Comment[] {
  const comments: Comment[] = []
  let run: Comment | undefined
  let block: Comment | undefined
  for (const [at, line] of text.split('\n').entries()) {
    if (block === undefined && /^\s*\/\*/.test(line)) {
      block = { line: at + 1, prose: [] }
      comments.push(block)
    }
    if (block !== undefined) {
      addProse(block, line.replace(/^\s*\/?\*+(?!\/)/, '').replace(/\*\/.*$/, ''))
      if (line.includes('*/')) block = undefined
      run = undefined
    } else if (/^\s*\/\//.test(line) && !DIRECTIVE.test(line)) {
      if (run === undefined) {
        run = { line: at + 1, prose: [] }
        comments.push(run)
      }
      addProse(run, line.replace(/^\s*\/\/+/, ''))
    } else {
      run = undefined
    }
  }
  return comments
}

function addProse(comment: Comment, line: string): void {
  if (line.trim() !== '') comment.prose.push(line.trim())
}

/** The numbers of lines with a comment that are wider than `most`; the formatter breaks all other lines. */
export function wideComments(text: string, most: number): number[] {
  return text
    .split('\n')
    .flatMap((line, at) => (line.length > most && /^\s*(?:\/\/|\/?\*)|\s\/\/ /.test(line) ? [at + 1] : []))
}
