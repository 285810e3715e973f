export {
  createWebhookSecret,
  deleteWebhookSecret,
  replaceKnownSecrets,
  rotateWebhookSecret,
  webhookSecretsOf,
} from './webhook-secret.ts'
