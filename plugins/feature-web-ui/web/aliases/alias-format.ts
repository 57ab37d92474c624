import { type AliasRecord, escapeControlCharacters } from "../../../_shipped/client.ts";

/** Returns a command format as the help of its alias shows it. */
export function toDisplay(format: AliasRecord["formats"][number]): string {
	return escapeControlCharacters(typeof format === "string" ? format : format.display);
}
