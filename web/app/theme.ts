import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { separators } from '../parts/format.ts'

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
    // Its lock of the page is a style without the nonce of the page.
    Modal: { defaultProps: { radius: 'md', overlayProps: { blur: 2 }, lockScroll: false } },
    // Values are numbers as the API writes them; the field shows them as the page does.
    NumberInput: {
      defaultProps: () => ({
        decimalSeparator: separators().decimalSeparator,
        valueIsNumericString: true,
      }),
    },
    Paper: { defaultProps: { radius: 'md' } },
  },
})

/** The library's text on a light background of its own color is too pale in light mode: this is darker. */
const darkerText = (colors: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    colors.map(name => [
      `--mantine-color-${name}-light-color`,
      `color-mix(in srgb, var(--mantine-color-${name}-9) 55%, black)`,
    ]),
  )

/** Text with a contrast of at least 4.5 in both schemes, where the library's own has less. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    ...darkerText(Object.keys(colors)),
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
  },
})
