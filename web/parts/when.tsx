import { Text, type TextProps } from '@mantine/core'
import { dateTime, fromNow, timeZone } from './format.ts'

/** A time as distance from now; the exact time with its zone shows on hover and to screen readers. */
export function When({ at, ...props }: { at: string } & TextProps) {
  return (
    <Text span inherit {...props}>
      <time dateTime={at} title={`${dateTime(at)} (${timeZone})`}>
        {fromNow(at)}
      </time>
    </Text>
  )
}
