import { preferences } from "../kit/preferences.ts";

/** Command of a keyboard shortcut. */
export type Command = "palette" | "keys" | "filter";

const preference = "single-keys";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Returns true if single-character shortcuts are enabled. Users of speech input may want to disable them. */
export function hasSingleKeys(): boolean {
	return preferences.get(preference, isBoolean) ?? true;
}

export function setSingleKeys(isOn: boolean): void {
	preferences.set(preference, isOn);
}

/** Returns the command of a key. Returns undefined while a dialog is open, and for single-character shortcuts while the user is typing. */
export function toCommand(event: KeyboardEvent): Command | undefined {
	if (document.querySelector("dialog[open]") !== null) return undefined;
	const { key, ctrlKey, metaKey, altKey } = event;
	if (ctrlKey !== metaKey && !altKey && key.toLowerCase() === "k") return "palette";
	if (ctrlKey || metaKey || altKey || isWriting(event.target) || !hasSingleKeys()) return undefined;
	return { "?": "keys" as const, "/": "filter" as const }[key];
}

function isWriting(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && target.matches("input, select, textarea");
}
