/** A text that belongs outside of its row, and is like no other of this or of another execution. Some are short enough for the row. */
export function toLargeText(execution: number, sequence: number): string {
	const line = `${execution}/${sequence} é \u{1f600}\n`;
	return line.repeat(sequence % 5 === 0 ? 3 : 2_000 + (sequence % 7) * 900);
}
