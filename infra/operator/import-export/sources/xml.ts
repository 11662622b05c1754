// Reads XML with a streaming parser, one child of a named element at a time.
import { Parser } from 'htmlparser2'

export type Element = { name: string; text: string; attributes: Record<string, string>; children: Element[] }

/** Calls `onElement` with each child of the elements of this name, complete. Keeps no other. */
export async function readChildren(
  pieces: AsyncIterable<string>,
  parent: string,
  onElement: (element: Element) => void,
): Promise<void> {
  /** The elements that are open; the first is a child of the parent. */
  const open: Element[] = []
  let depth = 0
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (open.length === 0 && depth === 0) {
          if (name === parent) depth = 1
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
      onclosetag: () => {
        const element = open.pop()
        if (element && open.length === 0) onElement(element)
      },
    },
    { xmlMode: true },
  )
  for await (const piece of pieces) parser.write(piece)
  parser.end()
}

export function childrenOf({ children }: Element, name: string): Element[] {
  return children.filter(child => child.name === name)
}

export function textIn(element: Element, name: string): string {
  return element.children.find(child => child.name === name)?.text ?? ''
}
