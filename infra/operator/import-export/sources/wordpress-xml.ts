// Reads XML with a streaming parser, one child of a named element at a time.
import { Parser } from 'htmlparser2'
import { secondsOf } from './time.ts'

export type Element = { name: string; text: string; attributes: Record<string, string>; children: Element[] }

/** The parser's time grows with the depth, and no export is as deep. */
const DEEPEST = 100

/**
 * Calls `onElement` with each child of the elements of the name `parent`, complete. Returns whether the text
 * ends where its first element does. Throws if it is nested too deep.
 */
export function readChildren(text: string, parent: string, onElement: (element: Element) => void): boolean {
  /** The elements that are open; the first is a child of the parent. */
  const open: Element[] = []
  let root: string | undefined
  let isWhole = false
  let isInside = false
  let depth = 0
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        root ??= name
        depth++
        if (depth > DEEPEST) throw new Error(`It is nested deeper than ${DEEPEST} elements.`)
        if (!isInside) {
          isInside = name === parent
          return
        }
        const element = { name, text: '', attributes, children: [] }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      ontext: text => {
        const element = open.at(-1)
        if (element) element.text += text
      },
      onclosetag: (name, isImplied) => {
        depth--
        const element = open.pop()
        if (element && open.length === 0 && !isImplied) onElement(element)
        if (!isImplied && name === root) isWhole = true
      },
    },
    { xmlMode: true },
  )
  parser.write(text)
  parser.end()
  return isWhole
}

export function childrenOf({ children }: Element, name: string): Element[] {
  return children.filter(child => child.name === name)
}

export function textIn(element: Element, name: string): string {
  return element.children.find(child => child.name === name)?.text ?? ''
}

/** WordPress has each time in UTC as well, unless it was never set. */
export function timeIn(element: Element, name: string): number | null {
  return secondsOf(textIn(element, `${name}_gmt`)) ?? secondsOf(textIn(element, name))
}
