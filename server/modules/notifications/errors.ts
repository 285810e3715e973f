import { errorTable } from '#platform/kernel/errors'

export const NOTIFICATIONS = errorTable({
  WEBHOOK_NOT_FOUND: [404, 'Webhook not found'],
  WEBHOOK_DELIVERY_NOT_FOUND: [404, 'Webhook delivery not found'],
  UNSUBSCRIBE_LINK_INVALID: [404, 'Unsubscribe link is invalid'],
  WEBHOOK_DISABLED: [409, 'Webhook is disabled'],
})
