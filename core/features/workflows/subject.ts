import { existsSync } from "node:fs";

/** Whether a word on the command line is the name of a file: refs have no slash, and an action's is no file of that name by chance. */
export function isFile(word: string): boolean {
	return /[/\\]|\.(?:ya?ml|json)$/.test(word) || existsSync(word);
}
