import { MantineProvider } from '@mantine/core'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './app/console.css'
import { queryClient } from './api/client.ts'
import { cssVariables, theme } from './app/theme.ts'
import { Toasts } from './app/toasts.tsx'
import { router } from './app/tree.ts'
import { showNote } from './sections/entrance/note.ts'
import { resumeProviderSignIn } from './sections/entrance/provider-start.ts'
import { loadTexts } from './texts/text.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content

function draw(): void {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce ?? ''}
      >
        <QueryClientProvider client={queryClient}>
          <Toasts />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

await loadTexts()
if (!resumeProviderSignIn()) {
  draw()
  showNote()
}
