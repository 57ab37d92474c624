import { preferences } from "../kit/preferences.ts";

/** What a key asks for. */
export type Command = "palette" | "keys" | "filter";

const preference = "single-keys";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Whether keys of one character count. Somebody who speaks to their computer may want that they do not. */
export function hasSingleKeys(): boolean {
	return preferences.get(preference, isBoolean) ?? true;
}

export function setSingleKeys(isOn: boolean): void {
	preferences.set(preference, isOn);
}

/** What a key asks for; nothing while a dialog is open, and no key of one character while somebody writes. */
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
