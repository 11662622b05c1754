// Creates the table, with the keys of shared/table/design.ts.
import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, Billing, type ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Construct } from 'constructs'
import { TTL_ATTRIBUTE } from './names.ts'
import type { StageSettings } from './settings.ts'

function text(name: string) {
  return { name, type: AttributeType.STRING }
}

/**
 * An adopted table belongs to no stack, so no deployment changes or deletes it. The stack's own one is then
 * no longer part of it, and is kept unless the stage is disposable.
 */
export function adoptTable(scope: Construct, tableName: string): ITableV2 {
  return TableV2.fromTableName(scope, 'Table', tableName)
}

export function createTable(scope: Construct, { isDisposable, maxUnits }: StageSettings): ITableV2 {
  return new TableV2(scope, 'Table', {
    partitionKey: text('pk'),
    sortKey: text('sk'),
    billing: Billing.onDemand({ maxReadRequestUnits: maxUnits.read, maxWriteRequestUnits: maxUnits.write }),
    timeToLiveAttribute: TTL_ATTRIBUTE,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: !isDisposable },
    // `npm run deploy` adds the deletion protection, after a deployment that succeeded.
    removalPolicy: isDisposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
}
