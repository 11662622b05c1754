// Where a check's advice is not followed: the reason, written beside the construct it is about.
import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/** @param rule of cdk-nag's AwsSolutions, like `SMG4`. */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason })
}
