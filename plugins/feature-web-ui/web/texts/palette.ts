/** Texts of the palette and of the keyboard help. */

export const goTo = "Go to";
export const field = "Name of a page or record, or ID of an execution";
export const hint = "Page, action, rule, pack, or the ID of an execution";
export const noneFound = "Nothing has this name.";
export const results = "Results";
export const page = "Page";
export const executionsOf = (kind: string) => `Executions of ${kind.toLowerCase()}`;

export const keys = "Keyboard shortcuts";
export const keyMeanings: readonly (readonly [keys: readonly string[], meaning: string])[] = [
	[["Ctrl K", "⌘ K"], "go to a page or record"],
	[["?"], "show this help"],
	[["/"], "go to the first filter or search field of the page"],
	[["Tab", "Shift Tab"], "go to the next or the previous control"],
	[["Enter"], "follow a link, press a button, apply a filter"],
	[["Esc"], "close a dialog"],
];
export const singleKeys = "Enable shortcuts without Ctrl or ⌘ (stored in this browser)";
