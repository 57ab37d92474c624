import { toSeenLines } from "../contract/unseen-text.ts";

const escapeCharacter = String.fromCharCode(0x1b);
/** Colours and weights of letters change nothing but looks, and a return of the cursor draws progress. */
const harmless = new RegExp(`(${escapeCharacter}\\[[\\d;:]{0,32}m|\\r)`);

/** Output of an action as a terminal may get it: whoever wrote it must not move the cursor elsewhere, set a title or fill the clipboard. */
export function toTerminalOutput(text: string): string {
	return text
		.split(harmless)
		.map((part, index) => (index % 2 === 1 ? part : toSeenLines(part)))
		.join("");
}
