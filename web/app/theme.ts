import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The green of the mark, from light to dark; white text on shade 7 and darker has a contrast of at least 4.5. */
const green: MantineColorsTuple = [
  '#e8f7f1',
  '#d3ece1',
  '#a7d8c3',
  '#77c3a3',
  '#50b288',
  '#37a777',
  '#26946a',
  '#0f7d57',
  '#0b6e4f',
  '#045a3f',
]

export const theme = createTheme({
  colors: { green },
  primaryColor: 'green',
  primaryShade: { light: 8, dark: 7 },
  defaultRadius: 'md',
  autoContrast: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  headings: { fontWeight: '650' },
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    Modal: { defaultProps: { radius: 'md', overlayProps: { blur: 2 } } },
    Paper: { defaultProps: { radius: 'md' } },
  },
})
