/** Colours that have names, in the order of their numbers; the light ones come behind them. */
const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** A colour of a terminal: one that has a name is a class, so that each theme has its own; another one is itself. */
export interface AnsiColour {
	readonly class?: string;
	/** `rgb(…)`. */
	readonly own?: string;
}

/** What a part of a line is to have. @param name as anser has it. @param trueColour its parts, where it is one of the 16 millions */
export function toAnsiColour(name: string | null, trueColour: string | null): AnsiColour {
	if (name === null) return {};
	if (name === "ansi-truecolor") return trueColour === null ? {} : { own: `rgb(${trueColour})` };
	const [, number] = /^ansi-palette-(\d+)$/.exec(name) ?? [];
	return number === undefined ? { class: name } : ofPalette(Number(number));
}

/** One of 256: those with names, a cube of six steps to each side, and greys. */
function ofPalette(number: number): AnsiColour {
	if (number < 16) return { class: `ansi-${number < 8 ? "" : "bright-"}${names[number % 8]}` };
	if (number > 231) return toOwn([1, 1, 1].map((part) => part * (8 + (number - 232) * 10)));
	const place = number - 16;
	const steps = [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6];
	return toOwn(steps.map((step) => (step === 0 ? 0 : 55 + step * 40)));
}

function toOwn(parts: readonly number[]): AnsiColour {
	return { own: `rgb(${parts.join(", ")})` };
}
