import type { Colour, Paint } from "../../cli/output-capabilities.ts";
import { escapeControlCharacters } from "../../contract/control-characters.ts";
import { stringifyJson } from "../../contract/index.ts";

export interface LogLine {
	readonly date: Date;
	readonly level: string;
	readonly tag: string;
	readonly message: string;
	/** Values that JSON can represent. */
	readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the line as one JSON object. Time, level, message and tag take precedence over fields with the same name. */
export function formatJson({ date, level, tag, message, fields }: LogLine): string {
	const head = { time: date.toISOString(), level, message, ...(tag === "" ? {} : { tag }) };
	// JSON does not escape all control characters; a terminal that shows the log would interpret them.
	return escapeControlCharacters(stringifyJson({ ...head, ...fields, ...head }));
}

/**
 * Returns a readable line, followed by the stack traces of errors among the fields. Values may be external input, so control characters are
 * escaped. A line break could otherwise forge a line, and an escape sequence would reach the terminal.
 */
export function formatText({ date, level, tag, message, fields }: LogLine, paint: Paint = (_colour, text) => text): string {
	const words = Object.entries(fields).map(
		([name, value]) => `${paint("dim", `${toWord(name)}=`)}${toWord(isError(value) ? value.message : value)}`,
	);
	const levelWord = paint(colours[level] ?? "gray", level.padEnd(5));
	const head = `${paint("dim", date.toISOString())} ${levelWord} ${tag === "" ? "" : paint("dim", `${escapeControlCharacters(tag)}: `)}${escapeControlCharacters(message)}`;
	const stacks = Object.values(fields)
		.filter(isError)
		.map(({ stack }) => toLines(stack));
	return [[head, ...words].join(" "), ...stacks].join("\n");
}

const colours: Readonly<Record<string, Colour>> = { error: "red", warn: "yellow", info: "green" };

interface PlainError {
	readonly message: string;
	readonly stack: string;
}

function isError(value: unknown): value is PlainError {
	return typeof value === "object" && value !== null && "stack" in value && typeof value.stack === "string" && "message" in value;
}

function toLines(text: string): string {
	return text
		.split("\n")
		.map((line) => `    ${escapeControlCharacters(line.trim())}`)
		.join("\n");
}

function toWord(value: unknown): string {
	const text = typeof value === "string" ? value : (stringifyJson(value) ?? "undefined");
	return escapeControlCharacters(typeof value === "string" && !/^[^\s"=]+$/.test(text) ? stringifyJson(text) : text);
}
