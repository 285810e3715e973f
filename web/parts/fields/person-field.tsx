import { TextInput, type TextInputProps } from '@mantine/core'

interface PersonFieldProps extends Pick<TextInputProps, 'label' | 'description'> {
  value: string
  onValue(text: string): void
}

/** The first field of a dialog about somebody: an id or a username. */
export const PersonField = ({ onValue, ...props }: PersonFieldProps) => (
  <TextInput onChange={event => onValue(event.currentTarget.value)} required data-autofocus {...props} />
)
