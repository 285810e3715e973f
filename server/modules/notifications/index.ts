export { eraseNotificationsOf } from './erase.ts'
