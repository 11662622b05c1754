// Creates the dashboard: a row each for what readers, writers and subscribers notice, from the declarations.
import { Aws, Duration } from 'aws-cdk-lib'
import {
  AlarmStatusWidget,
  type Alarm as CloudWatchAlarm,
  Dashboard,
  GraphWidget,
  type IWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import { type DashboardRow, METRICS, type MetricName } from '../shared/metrics/metrics.ts'
import { ALARMS } from '../shared/service/alarms.ts'
import { metricOf, ownMetric, type Watched } from './alarms.ts'

const TITLES: Record<DashboardRow, string> = {
  readers: '# Readers: is every page answered, and quickly?',
  writers: '# Writers: is every change taken, and at its time?',
  subscribers: '# Subscribers: does every event and mail arrive?',
}

const ROWS = Object.keys(TITLES) as DashboardRow[]
const WIDTH = 24
const GRAPHS_IN_A_LINE = 4
const HEIGHT = 5
const PERIOD = Duration.minutes(1)

export function createDashboard(
  scope: Construct,
  alarms: Record<string, CloudWatchAlarm>,
  watched: Watched,
): void {
  new Dashboard(scope, 'Dashboard', {
    dashboardName: Aws.STACK_NAME,
    defaultInterval: Duration.hours(3),
    widgets: ROWS.flatMap(row => rowOf(row, alarms, watched)),
  })
}

function rowOf(row: DashboardRow, alarms: Record<string, CloudWatchAlarm>, watched: Watched): IWidget[][] {
  const declared = ALARMS.filter(alarm => alarm.row === row)
  const graphs = [
    // The graph of an alarm has its threshold.
    ...declared.flatMap(alarm => {
      const created = alarms[alarm.id]
      const metric = metricOf(alarm, watched)
      return created ? [graph(alarm.id, { left: [metric], leftAnnotations: [created.toAnnotation()] })] : []
    }),
    ...metricsWithoutAlarm(row).map(name => graph(name, { left: [ownMetric(name, PERIOD)] })),
  ]
  const status = declared.flatMap(({ id }) => alarms[id] ?? [])
  return [
    [new TextWidget({ markdown: TITLES[row], width: WIDTH, height: 1 })],
    [new AlarmStatusWidget({ title: row, alarms: status, width: WIDTH, height: 3 })],
    ...linesOf(graphs),
  ]
}

function metricsWithoutAlarm(row: DashboardRow): MetricName[] {
  const alarmed = ALARMS.flatMap(({ metric }) => ('own' in metric ? [metric.own] : []))
  return (Object.keys(METRICS) as MetricName[]).filter(
    name => METRICS[name].row === row && !alarmed.includes(name),
  )
}

function graph(title: string, content: Partial<ConstructorParameters<typeof GraphWidget>[0]>): IWidget {
  return new GraphWidget({ title, width: WIDTH / GRAPHS_IN_A_LINE, height: HEIGHT, ...content })
}

function linesOf(widgets: IWidget[]): IWidget[][] {
  const count = Math.ceil(widgets.length / GRAPHS_IN_A_LINE)
  return Array.from({ length: count }, (_, n) =>
    widgets.slice(n * GRAPHS_IN_A_LINE, (n + 1) * GRAPHS_IN_A_LINE),
  )
}
