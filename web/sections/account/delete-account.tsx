import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { $api, queryClient } from '../../api/client.ts'
import { sessionEnd } from '../../api/session.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { leaveNote } from '../entrance/note.ts'
import { MoneyLeft } from './money-left.tsx'
import { Setting } from './setting.tsx'

const PHRASE = 'DELETE MY ACCOUNT'

/** Deletes the account once its phrase is typed. */
export function DeleteAccount() {
  const [opened, setOpened] = useState(false)
  const [phrase, setPhrase] = useState('')
  const remove = $api.useMutation('delete', '/users/me')
  const close = () => {
    setOpened(false)
    setPhrase('')
    remove.reset()
  }
  const run = () =>
    remove.mutate(
      { body: { confirmPhrase: phrase } },
      {
        onSuccess: () => {
          sessionEnd.leave()
          queryClient.clear()
          leaveNote('account.deleted')
          // In the place of a page that this browser can no longer open.
          location.replace('/')
        },
      },
    )
  return (
    <Setting title={t('account.delete')} text={t('account.deleteText')}>
      <Button color="red" variant="light" onClick={() => setOpened(true)}>
        {t('account.delete')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t('account.deleteTitle')}
        centered
        closeButtonProps={{ 'aria-label': t('action.close') }}
      >
        <form
          onSubmit={event => {
            event.preventDefault()
            run()
          }}
        >
          <Stack>
            <Text size="sm">{t('account.deleteWarning')}</Text>
            {opened && <MoneyLeft />}
            <TextInput
              label={t('account.deletePhrase', { phrase: PHRASE })}
              autoComplete="off"
              value={phrase}
              onChange={event => setPhrase(event.currentTarget.value)}
              data-autofocus
            />
            <ProblemNotice error={remove.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t('action.cancel')}
              </Button>
              <Button type="submit" color="red" disabled={phrase !== PHRASE} loading={remove.isPending}>
                {t('account.deleteConfirm')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </Setting>
  )
}
