import { Button, Stack, Text } from '@mantine/core'
import { site } from '../../app/page-data.ts'
import { t } from '../../texts/text.ts'

/** Says that a mail is under way; with the sandbox, where to read it. */
export function MailSent({ text, email }: { text: string; email: string }) {
  return (
    <Stack align="flex-start">
      <Text role="status">{text}</Text>
      <MailboxButton email={email} />
    </Stack>
  )
}

export function MailboxButton({ email }: { email: string }) {
  return (
    site.sandbox && (
      <Button component="a" variant="default" href={`/sandbox/mail?to=${encodeURIComponent(email)}`}>
        {t('mail.sandbox')}
      </Button>
    )
  )
}

/** Only pages of the console go into a mail; the API refuses other addresses. */
export const mailNext = (next: string | undefined): { next?: string } =>
  next?.startsWith('/app') ? { next } : {}
