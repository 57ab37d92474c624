import { escapeControlCharacters } from "../../contract/control-characters.ts";
import type { AliasRecord } from "../../features/clients.ts";

/** Returns a command format as the help of its alias shows it. */
export function toDisplay(format: AliasRecord["formats"][number]): string {
	return escapeControlCharacters(typeof format === "string" ? format : format.display);
}
