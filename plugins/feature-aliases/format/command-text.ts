import { SvcError } from "../../../core/contract/index.ts";

/** Part of a chat command, in two forms of equal length. */
export interface CommandText {
	/** The part as the user wrote it. */
	readonly written: string;
	/** The part with ASCII quotes instead of typographic ones, which chat clients insert while a user types. */
	readonly plain: string;
}

/** Complete chat command. */
export interface Command extends CommandText {
	/** The whole command in lower case, with one space between words. Comparing its beginning rules out most formats that do not match. */
	readonly normalizedText: string;
}

/** Maximum characters of a command. */
export const maxCommandLength = 16_384;

const doubleQuotes = /[\u201c-\u201f\u2033\u2036\u00ab\u00bb]/g;
const singleQuotes = /[\u2018-\u201b\u2032\u2035]/g;

/**
 * Reads a command and removes backticks around the whole command, which only change how the chat displays it. Throws `SVC_INVALID` if the
 * command is longer than `maxCommandLength`.
 */
export function readCommand(command: string): Command {
	if (command.length > maxCommandLength) {
		throw new SvcError("SVC_INVALID", `command: must have at most ${maxCommandLength} characters, got ${command.length}`);
	}
	const trimmedCommand = command.trim();
	const backtickCount = trimmedCommand.startsWith("```") ? 3 : 1;
	const innerText = trimmedCommand.slice(backtickCount, -backtickCount);
	const isInBackticks =
		trimmedCommand.length > 2 * backtickCount &&
		trimmedCommand.startsWith("`") &&
		trimmedCommand.endsWith("`".repeat(backtickCount)) &&
		!innerText.includes("`");
	const text = toText(isInBackticks ? innerText.trim() : trimmedCommand);
	return { ...text, normalizedText: text.plain.replace(/\s+/g, " ").toLowerCase() };
}

/** Returns the part of a command between two indices, in both forms. */
export function sliceCommand({ written, plain }: CommandText, start: number, end?: number): CommandText {
	return { written: written.slice(start, end), plain: plain.slice(start, end) };
}

function toText(written: string): CommandText {
	return { written, plain: written.replace(doubleQuotes, '"').replace(singleQuotes, "'") };
}
