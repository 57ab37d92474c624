/** What says where the command is installed. */
const place = /project(?:'s)? folder|folder of (?:a|the) \[?project|npm (?:ci|install)\b/;

/** Why a page is not to be followed: where nothing is installed, npm takes somebody else's package for `npx svc`. */
export function findStrayNpx(page: string, text: string): string[] {
	const first = text.indexOf("npx svc");
	if (first < 0 || place.test(text.slice(0, first))) return [];
	const line = text.slice(0, first).split("\n").length;
	// Said in the same line is early enough.
	if (place.test(text.split("\n")[line - 1] ?? "")) return [];
	return [
		`${page}:${line}: "npx svc" before the page has said where it is installed; hint: name the project folder, or write "npx --package svc-automation svc"`,
	];
}
