import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { forwardRef } from 'react'

/** Links of the console with the looks of the component library; `to` is checked against the routes. */
export const TextLink = createLink(
  forwardRef<HTMLAnchorElement, AnchorProps>(function TextLink(props, ref) {
    return <Anchor ref={ref} {...props} />
  }),
)

export const ButtonLink = createLink(
  forwardRef<HTMLAnchorElement, ButtonProps>(function ButtonLink(props, ref) {
    return <Button component="a" ref={ref} {...props} />
  }),
)
