// The parts of one local run that later parts are built from.
import type { Access } from './access/access.ts'
import type { Emulators } from './emulators.ts'
import type { Hosts } from './gateway/hosts.ts'
import type { Log } from './log.ts'
import type { LocalMetrics } from './metrics/metrics.ts'
import type { Recorder } from './metrics/recorder.ts'
import type { Resolve } from './template/resolver.ts'
import type { ResolverValues, Template } from './template/template.ts'

export type RunContext = {
  template: Template
  values: ResolverValues
  resolve: Resolve
  emulators: Emulators
  access: Access
  hosts: Hosts
  mostThreads: number | undefined
  keptWorkers: number | undefined
  allowLoopbackWebhooks: boolean
  recorder: Recorder
  metrics: LocalMetrics
  log: Log
}
