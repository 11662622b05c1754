// Reads RSS with a streaming parser of XML, one child of its channel at a time.
import { Parser } from 'htmlparser2'
import { type ForeignTime, foreignTime } from './time.ts'

export type Element = { name: string; text: string; attributes: Record<string, string>; children: Element[] }

/** The parser's time grows with the depth, and no export is as deep. */
const DEEPEST = 100

/** `isBroken`: it or an element in it has no end. */
type OnElement = (element: Element, isBroken: boolean) => void

/**
 * Calls `onElement` with each child of the channel. Returns whether the text ends where its first element
 * does. Throws if it is nested too deep, or goes on behind that end.
 */
export function readChannel(text: string, onElement: OnElement): boolean {
  /** The elements that are open; the first is a child of the channel. */
  const open: Element[] = []
  let depth = 0
  let [isInside, isBroken, isWhole] = [false, false, false]
  /** An element that closes itself has an end. */
  let isJustOpen = false
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (isWhole) throw new Error('It goes on behind its end: import one export after the other.')
        isJustOpen = true
        if (++depth > DEEPEST) throw new Error(`It is nested deeper than ${DEEPEST} elements.`)
        if (!isInside) {
          isInside = name === 'channel'
          return
        }
        const [first] = open
        if (first?.name === name && name === 'item') {
          onElement(first, true)
          open.length = 0
          isBroken = false
        }
        const element = { name, text: '', attributes, children: [] }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      ontext: text => {
        isJustOpen = false
        const element = open.at(-1)
        if (element) element.text += text
      },
      onclosetag: (_, isImplied) => {
        depth--
        const element = open.pop()
        const hasNoEnd = isImplied && !isJustOpen
        isJustOpen = false
        isBroken ||= hasNoEnd
        if (element && open.length === 0) {
          if (!isImplied || hasNoEnd) onElement(element, isBroken)
          isBroken = false
        }
        if (!isImplied && depth === 0) isWhole = true
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
  return element.children.find(child => child.name === name)?.text.trim() ?? ''
}

/** What WordPress writes in `pubDate` for a time that was never set. */
const NEVER = /^.*30 Nov (?:1999|-0001) 00:00:00.*$/

/** WordPress has each time in UTC as well, unless it was never set. */
export function timeIn(element: Element, name: string): ForeignTime {
  const names = [`${name}_gmt`, ...(name === 'wp:post_date' ? ['pubDate'] : []), name]
  const times = names.map(each => foreignTime(textIn(element, each).replace(NEVER, '')))
  return times.find(time => typeof time === 'number') ?? times.find(time => time !== 'missing') ?? 'missing'
}
