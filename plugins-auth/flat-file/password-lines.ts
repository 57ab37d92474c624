/** The text of a password file with a line for a user, in the place of the one that counted, or at its end. */
export function withLine(text: string, username: string, stored: string): string {
	const lines = toLines(text);
	const added = `${username}:${stored}`;
	const last = lines.findLastIndex((line) => nameOf(line) === username);
	if (last === -1) return toText([...lines, added]);
	return toText(lines.map((line, index) => (index === last ? added : line)).filter((line) => line === added || nameOf(line) !== username));
}

/** The same text without the lines of a user. */
export function withoutLine(text: string, username: string): string {
	return toText(toLines(text).filter((line) => nameOf(line) !== username));
}

/** Whether there is a line of a user, also one that lets nobody in. */
export function hasLine(text: string, username: string): boolean {
	return toLines(text).some((line) => nameOf(line) === username);
}

/** The user of a line; undefined for comments and what is no line of a user. */
export function nameOf(raw: string): string | undefined {
	const line = raw.trim();
	const colon = line.indexOf(":");
	return line.startsWith("#") || colon < 1 ? undefined : line.slice(0, colon);
}

function toLines(text: string): readonly string[] {
	const lines = text.replace(/^\ufeff/, "").split("\n");
	return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function toText(lines: readonly string[]): string {
	return lines.map((line) => `${line}\n`).join("");
}
