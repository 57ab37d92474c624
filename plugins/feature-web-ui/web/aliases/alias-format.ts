/** Returns a command format as the help of its alias shows it. */
import { type AliasRecord, escapeControlCharacters } from "../../../_shipped/client.ts";

export function toDisplay(format: AliasRecord["formats"][number]): string {
	return escapeControlCharacters(typeof format === "string" ? format : format.display);
}
