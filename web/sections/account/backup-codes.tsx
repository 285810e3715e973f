import { Alert, Button, Code, Group, SimpleGrid, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { site } from '../../app/page-data.ts'
import { useCopy } from '../../parts/copy.tsx'
import { t } from '../../texts/text.ts'

/** The backup codes, which are shown once. */
export function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const text = codes.join('\n')
  const { isCopied, copy } = useCopy(text)
  const file = useFile(`${text}\n`)
  return (
    <Alert color="yellow" title={t('mfa.backupTitle')} w="100%">
      <Stack>
        {t('mfa.backupText')}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" role="list" aria-label={t('mfa.backupTitle')}>
          {codes.map(code => (
            <Code key={code} role="listitem">
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <Group>
          <Button variant="default" onClick={copy}>
            {t(isCopied ? 'action.copied' : 'action.copy')}
          </Button>
          {file !== null && (
            <Button
              component="a"
              variant="default"
              href={file}
              download={`${site.name.replaceAll(/\W+/g, '-')}-backup-codes.txt`}
            >
              {t('mfa.download')}
            </Button>
          )}
          <Button onClick={onDone}>{t('mfa.stored')}</Button>
        </Group>
      </Stack>
    </Alert>
  )
}

/** Address of a text as a file, while the caller is on the page. */
function useFile(text: string): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [text])
  return address
}
