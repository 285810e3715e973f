import { notifications } from '@mantine/notifications'
import { t, type TextKey } from '../../texts/text.ts'

/** Says that something was saved, with what the API advises about it. */
export const sayDone = (key: TextKey, details: readonly string[] = []): string =>
  notifications.show({ message: [t(key), ...details].join(' '), autoClose: details.length === 0 && 5000 })
