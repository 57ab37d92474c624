/** Maximum characters of a message. A message may quote a string that is as long as the definition itself. */
const maxMessageLength = 500;

/** Returns the message, shortened to 500 characters. */
export function shorten(message: string): string {
	return message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength)}…`;
}
