/** Most characters of a message: what it quotes may be as long as the definition itself. */
const longest = 500;

/** A message as far as people read it. */
export function shorten(message: string): string {
	return message.length <= longest ? message : `${message.slice(0, longest)}…`;
}
