// The service's secrets, made on the first deploy: for client addresses, for links in mails, for webhook secrets.
import { RemovalPolicy } from 'aws-cdk-lib'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import type { Secret as SecretName } from '../shared/service/needs.ts'
import { acknowledge } from './acknowledge.ts'

export type Keys = Record<SecretName, Secret>

/** What is sealed with them is of no use without them, so they stay as long as the table. */
export function createKeys(scope: Construct, isDisposable: boolean): Keys {
  const createKey = (name: SecretName, description: string): Secret => {
    const secret = new Secret(scope, name, {
      description,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: isDisposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    })
    acknowledge(secret, 'SMG4', 'A new key would make what is stored under the old one unreadable.')
    return secret
  }
  return {
    ClientKey: createKey('ClientKey', 'Keys the HMAC of client addresses.'),
    LinkKey: createKey('LinkKey', 'Keys the tokens of links in mails.'),
    WebhookKey: createKey('WebhookKey', 'Seals the secrets of webhook subscriptions.'),
  }
}
