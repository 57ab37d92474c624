import { SvcError } from "../../contract/index.ts";

/** A piece of what somebody wrote in a chat, in two forms of the same length. */
export interface CommandText {
	/** As it was written. */
	readonly written: string;
	/** With the quotes that every keyboard has: chat clients put in others while somebody types. */
	readonly plain: string;
}

/** The whole of it. */
export interface Command extends CommandText {
	/** How it begins, in small letters and with one blank between words: enough to tell most formats that do not fit. */
	readonly beginning: string;
}

/** Characters of a command. */
export const longestCommand = 16_384;

const doubleQuotes = /[\u201c-\u201f\u2033\u2036\u00ab\u00bb]/g;
const singleQuotes = /[\u2018-\u201b\u2032\u2035]/g;

/** Read a command. `SVC_INVALID` for one that is too long. Back ticks around all of it are the chat's way of showing it. */
export function readCommand(command: string): Command {
	if (command.length > longestCommand) {
		throw new SvcError("SVC_INVALID", `command: must have at most ${longestCommand} characters, got ${command.length}`);
	}
	const written = command.trim();
	const ticks = written.startsWith("```") ? 3 : 1;
	const inner = written.slice(ticks, -ticks);
	const isQuoted = written.length > 2 * ticks && written.startsWith("`") && written.endsWith("`".repeat(ticks)) && !inner.includes("`");
	const text = toText(isQuoted ? inner.trim() : written);
	return { ...text, beginning: text.plain.replace(/\s+/g, " ").toLowerCase() };
}

/** A part of a command. */
export function slice({ written, plain }: CommandText, start: number, end?: number): CommandText {
	return { written: written.slice(start, end), plain: plain.slice(start, end) };
}

function toText(written: string): CommandText {
	return { written, plain: written.replace(doubleQuotes, '"').replace(singleQuotes, "'") };
}
