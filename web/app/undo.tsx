import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { asProblem } from '../api/problem.ts'
import { t } from '../texts/text.ts'

/** Long enough to reach the button with the keyboard. */
const OFFERED_MS = 20_000

let offers = 0

/** Says that a change took effect, with a button that takes it back. */
export function offerUndo(done: string, undo: () => Promise<unknown>): void {
  const id = `undo-${++offers}`
  const takeBack = async () => {
    notifications.hide(id)
    try {
      await undo()
      notifications.show({ message: t('action.undone') })
    } catch (problem) {
      notifications.show({ message: asProblem(problem).message, color: 'red' })
    }
  }
  notifications.show({
    id,
    color: 'teal',
    autoClose: OFFERED_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{done}</Text>
        <Button size="compact-sm" variant="light" flex="none" onClick={() => void takeBack()}>
          {t('action.undo')}
        </Button>
      </Group>
    ),
  })
}
