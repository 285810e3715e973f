import { MantineThemeProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { t } from '../texts/text.ts'

/** The button of each one that closes it has a name only here. */
const named = () => ({
  components: { Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('action.close') } } } },
})

export default function ToastContainer() {
  return (
    <MantineThemeProvider inherit theme={named()}>
      <Notifications position="bottom-right" />
    </MantineThemeProvider>
  )
}
