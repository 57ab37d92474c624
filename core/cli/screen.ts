import type { Writable } from "node:stream";
import { styleText } from "node:util";

/** Where something is shown: how wide it is, and whether colours may be used. */
export interface Screen {
	/** Somebody looks at it; otherwise it is a file or a pipe. */
	readonly isTerminal: boolean;
	/** Columns. */
	readonly width: number;
	readonly hasColours: boolean;
}

export type Colour = Parameters<typeof styleText>[0];

/** Text in a colour, or as it is where there are none. */
export type Paint = (colour: Colour, text: string) => string;

const widthOfPipes = 150;

/** `COLUMNS` counts more than the width of the terminal; `FORCE_COLOR` more than `NO_COLOR`, and both more than what it is. */
export function screenOf(stream: Writable, env: Readonly<Record<string, string | undefined>>): Screen {
	const isTerminal = "isTTY" in stream && stream.isTTY === true;
	const width = Number(env["COLUMNS"] ?? 0) || ("columns" in stream ? Number(stream.columns) : 0) || widthOfPipes;
	return { isTerminal, width, hasColours: hasColours(isTerminal, env) };
}

/** Whether colours may be used on something. */
export function hasColours(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
	const forced = env["FORCE_COLOR"];
	if (forced !== undefined) return forced !== "0" && forced !== "false";
	if (env["NO_COLOR"]) return false;
	return isTerminal && env["TERM"] !== "dumb";
}

/** How text is coloured on a screen. */
export function paintFor({ hasColours: isPainted }: Pick<Screen, "hasColours">): Paint {
	// What Node thinks of the process's own output does not count: the screen may be another.
	return isPainted ? (colour, text) => styleText(colour, text, { validateStream: false }) : (_colour, text) => text;
}

const colours: ReadonlyMap<string, Colour> = new Map(
	Object.entries({
		green: "succeeded processed ready accepted running",
		red: "failed timeout abandoned processing_failed refused gone",
		yellow: "requested scheduled delayed pending canceling canceled pausing paused waiting drained",
	} as const).flatMap(([colour, words]) => words.split(" ").map((word): [string, Colour] => [word, colour as Colour])),
);

/** The colour of a word for how something does; undefined for all others. */
export function colourOfState(word: string): Colour | undefined {
	return colours.get(word);
}

/** Whether an attribute holds such a word. */
export function isStateName(path: string): boolean {
	return /(?:^|\.)(?:status|state|verdict)$/.test(path);
}
