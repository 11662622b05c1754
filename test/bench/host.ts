// A process that runs the service of a checkout, and counts and measures what its functions do.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capitalized } from '../../infra/names.ts'
import { until } from '../world/until.ts'
import { modulesOf } from './checkout.ts'
import { DELAYS, type DelayName } from './delays.ts'
import { functionNames } from './function-names.ts'
import { openCpuClock } from './thread-cpu.ts'
import { openTraffic } from './traffic.ts'

const QUIET_WITHIN_MS = 30 * 60_000

export type HostMethods = Awaited<ReturnType<typeof openHost>>
/** `isCounted`: calls go through a proxy, which takes a little time. */
export type StartOptions = { folder?: string | undefined; isCounted: boolean }

async function openHost(checkout: string) {
  const modules = await modulesOf(checkout)
  const functionOf = functionNames(checkout)
  const traffic = openTraffic(functionOf)
  const takeCpu = openCpuClock(functionOf)
  const log = (line: string) => process.stderr.write(`${line}\n`)
  const assembly = await modules.buildAssembly({ log, project: checkout })
  let service: Awaited<ReturnType<typeof modules.runStack>> | undefined

  const running = () => {
    if (!service) throw new Error('The service has not been started.')
    return service
  }
  /** Creates another owner for each number, with an admin token. */
  const owner = async (n: number) => {
    const { baseUrl, secrets, dynamodbEndpoint: endpoint, tableName } = running()
    const table = { endpoint, tableName }
    const own = n === 0 ? secrets.owner : { email: `owner-${n}@example.com`, password: `a password of ${n}` }
    const { adminToken } = await modules.seed({
      table,
      baseUrl,
      owner: own,
      demo: false,
      first: n > 0,
      log: String,
    })
    return adminToken
  }
  const isEmpty = async (name: string, countsDelayed: boolean) => {
    const { visible, inFlight, delayed } = await running().queueDepth(`${capitalized(name)}Queue`)
    return visible + inFlight + (countsDelayed ? delayed : 0) === 0
  }

  return {
    /** The folder of a cached site, which is loaded first if it is missing. */
    loadSite: async (count: number, seed: number): Promise<string> => {
      const fingerprint = await modules.fingerprint(seed)
      const site = modules.openSite({ count, seed })
      await (await modules.openCachedSite({ site, fingerprint, assembly, log })).stop()
      return join(checkout, '.local/bench', `${count}-${seed}-${fingerprint}`)
    },
    start: async ({ folder, isCounted }: StartOptions) => {
      const state = folder === undefined ? {} : { state: await modules.openState(folder) }
      service = await modules.runStack({
        ...state,
        assembly,
        parameters: { LimitScale: '1000000' },
        allowLoopbackWebhooks: true,
        clock: false,
        interceptors: isCounted ? [traffic.interceptor] : [],
        log: (line, level) => level === 'debug' || line.includes('"level":"info"') || log(line.slice(0, 300)),
      })
      const token = await owner(0)
      return { baseUrl: `${service.baseUrl}/api/v1`, token }
    },
    owner,
    delay: async (name: DelayName) => traffic.setDelay(DELAYS[name]),
    takeTraffic: async () => traffic.take(),
    takeCpu: async () => takeCpu(),
    /** Waits until all queues are empty and a sweep finds nothing more to do. The index may be due later. */
    quiet: async ({ isIndexed }: { isIndexed: boolean }) => {
      const areQueuesEmpty = async () => {
        const names = modules.QUEUE_NAMES
        const empty = await Promise.all(names.map(name => isEmpty(name, isIndexed || name !== 'index')))
        return empty.every(Boolean)
      }
      await until('the queues to be empty', areQueuesEmpty, QUIET_WITHIN_MS)
      do {
        await running().runSchedule('sweep')
      } while (
        !(await areQueuesEmpty()) &&
        (await until('the queues to be empty', areQueuesEmpty, QUIET_WITHIN_MS))
      )
    },
    stop: async () => {
      await service?.stop()
      service = undefined
    },
  }
}

type Request = { id: number; method: keyof HostMethods; args: never[] }

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const methods = openHost(process.argv[2] ?? '')
  const answer = (message: object) => process.send?.(message)
  process.on('message', async ({ id, method, args }: Request) => {
    try {
      const run: (...args: never[]) => Promise<unknown> = (await methods)[method]
      answer({ id, result: await run(...args) })
    } catch (error) {
      answer({ id, error: error instanceof Error ? error.stack : String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
}
