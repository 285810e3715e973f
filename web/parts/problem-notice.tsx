import { Alert, Button, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { asProblem } from '../api/problem.ts'
import { t } from '../texts/text.ts'

/** What went wrong and what to do about it; nothing while there is no error. */
export function ProblemNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  if (!error) return null
  const { messages, hint, isSignedOut } = asProblem(error)
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      role="alert"
      title={messages.length === 1 ? messages[0] : t('problem.check')}
    >
      <Stack gap="xs" align="flex-start">
        {messages.length > 1 && (
          <List size="sm">
            {messages.map(text => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        )}
        {hint && <Text size="sm">{hint}</Text>}
        {isSignedOut && <SignInAgain />}
        {retry && !isSignedOut && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('action.retry')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Leads from a page whose session has ended to the sign-in, which comes back to it. The page itself stays as it is. */
export const SignInAgain = () => (
  <Button
    component="a"
    href={`/login?next=${encodeURIComponent(location.pathname + location.search)}`}
    target="_blank"
    size="xs"
  >
    {t('problem.signedOut.action')}
  </Button>
)
