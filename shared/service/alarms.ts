// Declares every alarm of a stage, once. See alarms/alarm.ts.
import { ACCOUNT_ALARMS } from './alarms/account.ts'
import type { Alarm } from './alarms/alarm.ts'
import { BACKGROUND_ALARMS } from './alarms/background.ts'
import { REQUEST_ALARMS } from './alarms/requests.ts'

export type { Alarm, AlarmMetric, AwsMetric, DimensionValue } from './alarms/alarm.ts'

export const ALARMS: Alarm[] = [...REQUEST_ALARMS, ...BACKGROUND_ALARMS, ...ACCOUNT_ALARMS]
