// Records why the stack does not follow one rule of cdk-nag, next to the construct that the rule is about.
import { Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/** @param rule a rule of cdk-nag's AwsSolutions, such as `SMG4`. */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason })
}
