// Runs commands in this process on the service of a test.
import { expect } from 'vitest'
import type { Context } from '../../infra/operator/command.ts'
import { localTarget } from '../../infra/operator/local-target.ts'
import { operate } from '../../infra/operator/operator.ts'
import type { Target } from '../../infra/operator/target.ts'
import type { World } from '../support/world.ts'

type TargetWorld = Pick<World, 'endpoints' | 'outputs' | 'baseUrl'>

export function targetAt(world: TargetWorld): Target {
  return localTarget(world, { ownUrl: world.baseUrl, label: 'the service of a test' })
}

/** The context of a command that reads no stdin and prints nothing. */
export function contextOf(target: Target, nowMs = Date.now()): Context {
  return {
    target,
    nowMs,
    nowSeconds: Math.floor(nowMs / 1000),
    progress: { show: () => undefined, clear: () => undefined },
    readStdin: async () => '',
    writeOut: async () => undefined,
  }
}

export function linesOf(problems: { subject: string; message: string }[]): string[] {
  return problems.map(({ subject, message }) => `${subject}: ${message}`).sort()
}

/** `run` returns the output and the exit code. Without a world, a command that opens its target fails. */
export function operatorOn(world: TargetWorld | undefined, clock = Date.now, more: Partial<Target> = {}) {
  const run = async (argv: string[], stdin = '') => {
    const screen = () => {
      const texts: string[] = []
      return { texts, write: (text: string) => texts.push(text) }
    }
    const [out, err] = [screen(), screen()]
    const code = await operate(argv, {
      out,
      err,
      clock,
      readStdin: async () => stdin,
      writeOut: async text => {
        out.write(text)
      },
      openTarget: async () => {
        if (world) return { ...targetAt(world), ...more }
        throw new Error('A wrong call must not open a target.')
      },
    })
    return { code, out: out.texts.join(''), err: err.texts.join('') }
  }
  /** The JSON result of a command that must end with this code. */
  const json = async (argv: string[], { code = 0, stdin = '' } = {}) => {
    const call = await run([...argv, '--json'], stdin)
    if (call.code !== code) throw new Error(`${argv.join(' ')} ended with ${call.code}: ${call.err}`)
    return JSON.parse(call.out)
  }
  /** What a command says that must end with 1 and print no result. */
  const refusal = async (argv: string[], stdin = '') => {
    const { code, out, err } = await run(argv, stdin)
    expect([code, out]).toEqual([1, ''])
    return err
  }
  return { run, json, refusal }
}
