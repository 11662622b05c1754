// Reads RSS with a streaming parser of XML, one child of its channel at a time.
import { Parser } from 'htmlparser2'
import { OperatorError } from '../../command.ts'
import { type ForeignTime, foreignTime } from './time.ts'

/** `fault`: why it cannot be read, if it is a child of the channel. */
export type Element = {
  name: string
  text: string
  attributes: Record<string, string>
  children: Element[]
  fault?: string
}
type Parent = Pick<Element, 'children'>

/** The parser's time grows with the depth, and no export is as deep. */
const DEEPEST = 100
const NO_END = 'It has an element of XML without an end.'

/**
 * The children of the channel, and whether the text ends where its first element does. Throws OperatorError
 * if it is nested too deep, or goes on behind that end.
 */
export function readChannel(text: string, file: string): { children: Element[]; isWhole: boolean } {
  const children: Element[] = []
  /** The elements that are open; the first is a child of the channel. */
  const open: Element[] = []
  let [depth, isInside, isWhole] = [0, false, false]
  /** An element that closes itself has an end. */
  let isJustOpen = false
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (isWhole) {
          throw new OperatorError(`${file} goes on behind its end: import one export after the other.`)
        }
        isJustOpen = true
        if (++depth > DEEPEST) {
          throw new OperatorError(`${file} is nested deeper than ${DEEPEST} elements.`)
        }
        if (!isInside) {
          isInside = name === 'channel'
          return
        }
        const [first] = open
        if (first?.name === name && name === 'item') {
          first.fault = NO_END
          children.push(first)
          open.length = 0
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
        const [child = element] = open
        if (child && hasNoEnd) child.fault = NO_END
        if (element && element === child && (!isImplied || hasNoEnd)) children.push(element)
        if (!isImplied && depth === 0) isWhole = true
      },
    },
    { xmlMode: true },
  )
  parser.write(text)
  parser.end()
  return { children, isWhole }
}

export function childrenOf({ children }: Parent, name: string): Element[] {
  return children.filter(child => child.name === name)
}

export function textIn({ children }: Parent, name: string): string {
  return children.find(child => child.name === name)?.text.trim() ?? ''
}

/** What WordPress writes in `pubDate` for a time that was never set. */
const NEVER = /^.*30 Nov (?:1999|-0001) 00:00:00.*$/

/** WordPress has each time in UTC as well, unless it was never set. */
export function timeIn(element: Element, name: string): ForeignTime {
  const names = [`${name}_gmt`, ...(name === 'wp:post_date' ? ['pubDate'] : []), name]
  const times = names.map(each => foreignTime(textIn(element, each).replace(NEVER, '')))
  return times.find(time => typeof time === 'number') ?? times.find(time => time !== 'missing') ?? 'missing'
}
