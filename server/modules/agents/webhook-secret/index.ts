export {
  createWebhookSecret,
  deleteWebhookSecret,
  forgetWebhookSecrets,
  rotateWebhookSecret,
  webhookSecretsOf,
} from './webhook-secret.ts'
