// The live line of `npm start`: on a terminal only, and never in the same line as the log.
import { describe, expect, it } from 'vitest'
import { startLiveLine } from '../../infra/local/live-line.ts'

const TOTALS = {
  requests: 0,
  serverErrors: 0,
  refused: 0,
  deliveries: 3,
  failedDeliveries: 1,
  leftInOutbox: 0,
}

function open(terminal: { isTTY?: boolean; columns?: number }) {
  const written: string[] = []
  const totals = { ...TOTALS }
  const write = (text: string) => written.push(text)
  return { written, totals, write, line: startLiveLine({ ...terminal, write }, () => totals) }
}

describe('the live line', () => {
  it('is erased before a line of the log, and written again below it with newer numbers', () => {
    const { written, totals, write, line } = open({ isTTY: true, columns: 120 })
    expect(written).toEqual(['Requests: 0, 5xx: 0 · deliveries: 3, failed: 1 · left in the outbox: 0'])
    Object.assign(totals, { requests: 1, leftInOutbox: 70 })
    line?.whileHidden(() => write('a line of the log\n'))
    expect(written.slice(1)).toEqual([
      '\r\u001b[2K',
      'a line of the log\n',
      'Requests: 1, 5xx: 0 · deliveries: 3, failed: 1 · left in the outbox: 70',
    ])
    line?.stop()
    expect(written.at(-1)).toBe('\r\u001b[2K')
  })

  it('is cut to the width of the terminal, because a line that wraps cannot be erased', () => {
    const { written, line } = open({ isTTY: true, columns: 20 })
    expect(written).toEqual(['Requests: 0, 5xx: 0'])
    line?.stop()
  })

  it('is whole on a terminal that does not say how wide it is', () => {
    const { written, line } = open({ isTTY: true, columns: 0 })
    expect(written[0]).toMatch(/none$/)
    line?.stop()
  })

  it('does not exist in a pipe', () => {
    const { written, line } = open({})
    expect([written, line]).toEqual([[], undefined])
  })
})
