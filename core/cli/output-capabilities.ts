import type { Writable } from "node:stream";
import { styleText } from "node:util";

/** Width and colour support of an output. */
export interface OutputCapabilities {
	/** True for a terminal; false for a file or a pipe. */
	readonly isTerminal: boolean;
	/** Width in columns. */
	readonly width: number;
	readonly hasColours: boolean;
}

export type Colour = Parameters<typeof styleText>[0];

/** Applies a colour to text, or returns the text unchanged if the output has no colours. */
export type Paint = (colour: Colour, text: string) => string;

const widthOfPipes = 150;

/**
 * Returns the properties of an output. `COLUMNS` takes precedence over the width of the terminal. `FORCE_COLOR` takes precedence over
 * `NO_COLOR`, and both over the type of the output.
 */
export function toOutputCapabilities(stream: Writable, env: Readonly<Record<string, string | undefined>>): OutputCapabilities {
	const isTerminal = "isTTY" in stream && stream.isTTY === true;
	const width = Number(env["COLUMNS"] ?? 0) || ("columns" in stream ? Number(stream.columns) : 0) || widthOfPipes;
	return { isTerminal, width, hasColours: hasColours(isTerminal, env) };
}

/** Returns true if an output may use colours. */
export function hasColours(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
	const forced = env["FORCE_COLOR"];
	if (forced !== undefined) return forced !== "0" && forced !== "false";
	if (env["NO_COLOR"]) return false;
	return isTerminal && env["TERM"] !== "dumb";
}

/** Returns the function that colours text for an output. */
export function paintFor({ hasColours: isPainted }: Pick<OutputCapabilities, "hasColours">): Paint {
	// Node.js would check its own stdout for colour support, but the output may be another stream.
	return isPainted ? (colour, text) => styleText(colour, text, { validateStream: false }) : (_colour, text) => text;
}

const colours: ReadonlyMap<string, Colour> = new Map(
	Object.entries({
		green: "succeeded processed ready accepted running",
		red: "failed timeout abandoned processing_failed refused gone",
		yellow: "requested scheduled delayed pending canceling canceled pausing paused waiting drained",
	} as const).flatMap(([colour, words]) => words.split(" ").map((word): [string, Colour] => [word, colour as Colour])),
);

/** Returns the colour of a word that denotes a state. Returns undefined for all other words. */
export function colourOfState(word: string): Colour | undefined {
	return colours.get(word);
}

/** Returns true if an attribute contains the name of a state. */
export function isStateName(path: string): boolean {
	return /(?:^|\.)(?:status|state|verdict)$/.test(path);
}
