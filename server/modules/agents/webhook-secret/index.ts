export {
  createWebhookSecret,
  deleteWebhookSecret,
  rotateWebhookSecret,
  webhookSecretsOf,
} from './webhook-secret.ts'
